import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { defineConfig } from 'rolldown'

const root = new URL('../', import.meta.url).pathname
const doors = readdirSync(`${root}src`).filter((file) => file.endsWith('.ts'))

/** Peers are the user's own; everything else is bundled, so that the package installs nothing beside itself. */
const peers = [/^msw($|\/)/, /^@msw\/data($|\/)/, /^vitest($|\/)/]

export default defineConfig({
  input: Object.fromEntries(doors.map((file) => [file.replace(/\.ts$/, ''), `${root}src/${file}`])),
  external: [...peers, /^node:/, ...builtinModules],
  platform: 'neutral',
  resolve: { conditionNames: ['import', 'default'], mainFields: ['module', 'main'] },
  treeshake: { moduleSideEffects: false },
  output: {
    dir: `${root}dist`,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: false,
  },
  plugins: [
    {
      name: 'clean',
      buildStart: () => rmSync(`${root}dist`, { recursive: true, force: true }),
      writeBundle: () => chmodSync(`${root}dist/bin.js`, 0o755),
    },
  ],
})
