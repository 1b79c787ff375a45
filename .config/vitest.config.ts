import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { secondRuns } from '../test/support/matrix.ts'
import { skipReasons } from './skip-reasons.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))
const entryPoints = readdirSync(`${root}src`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))

/** Resolves `plant-mock` and its subpaths to the files of one folder, the source or the build. */
const alias = (folder: string, extension: string) =>
  entryPoints.map((name) => ({
    find: name === 'index' ? /^plant-mock$/ : new RegExp(`^plant-mock/${name}$`),
    replacement: `${root}${folder}/${name}${extension}`,
  }))

export const sourceAlias = alias('src', '.ts')
const tests = 'test/**/*.test.ts'
const isolated = 'test/**/*.isolated.test.ts'
const programs = ['test/package/**/*.test.ts', 'test/**/*.programs.test.ts']
const noTests = ['**/node_modules/**', 'test/example/**', 'test/package/mistaken/**']

/**
 * `test/README.md` says which kind of test goes where, and `test/support/matrix.ts` which behaviour runs on which
 * transport and against the build.
 *
 * `source` and `programs` share modules between test files: no module of the source has state,
 * and `test/nothing-left-open.ts` fails a file that leaves something open. `isolated` has a process for each file, since these
 * tests replace globals such as timers.
 */
export default defineConfig({
  root,
  test: {
    setupFiles: ['test/setup.ts', 'test/nothing-left-open.ts'],
    reporters: ['default', skipReasons()],
    // No limit of speed: it ends what would never end.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Tests wait for programs that they start.
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    projects: [
      {
        extends: true,
        resolve: { alias: sourceAlias },
        test: { name: 'source', include: [tests], exclude: [...noTests, ...programs, isolated] },
      },
      {
        extends: true,
        resolve: { alias: sourceAlias },
        test: { name: 'isolated', include: [isolated], exclude: [...noTests, ...programs], isolate: true },
      },
      {
        extends: true,
        resolve: { alias: alias('dist', '.js') },
        test: {
          name: 'programs',
          env: { PLANT_MOCK_TESTS: 'programs' },
          include: [...programs, ...Object.keys(secondRuns).map((name) => `test/${name}.test.ts`)],
          // A test extracts the code blocks of the guides into `.guides`; an interrupted run leaves that folder behind.
          exclude: [...noTests, '**/.guides/**'],
        },
      },
    ],
  },
})
