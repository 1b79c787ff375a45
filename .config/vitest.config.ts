import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const doors = readdirSync(`${root}src`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))

/** Makes `plant-mock` and its doors stand for one build of them. */
const alias = (folder: string, ending: string) =>
  doors.map((door) => ({
    find: door === 'index' ? /^plant-mock$/ : new RegExp(`^plant-mock/${door}$`),
    replacement: `${root}${folder}/${door}${ending}`,
  }))

/**
 * Tests in `test/doors` go through the public doors alone, so they run on the source and on what ships.
 * `test/rooms` looks at single modules of the source, `test/package` at the built package and its programs.
 */
export default defineConfig({
  root,
  test: {
    // Made from the README by a test; there when a run was broken off.
    exclude: ['**/node_modules/**', '**/.readme/**'],
    setupFiles: ['test/setup.ts'],
    projects: [
      {
        extends: true,
        resolve: { alias: alias('src', '.ts') },
        test: { name: 'source', include: ['test/doors/**/*.test.ts', 'test/rooms/**/*.test.ts'] },
      },
      {
        extends: true,
        resolve: { alias: alias('dist', '.js') },
        test: { name: 'dist', include: ['test/doors/**/*.test.ts', 'test/package/**/*.test.ts'] },
      },
    ],
  },
})
