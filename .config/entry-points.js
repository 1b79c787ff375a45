import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The entry points that are ES modules alone, each with the reason. The others have a CommonJS build beside it. */
export const moduleOnly = {
  bin: 'is a program, which Node.js loads as a module',
  data: 'imports @msw/data, which is an ES module alone',
  playwright: 'is for Playwright, which compiles the imports of test files itself',
  vite: 'is for the configuration of Vite, which is an ES module',
  vitest: 'imports vitest, which cannot be required',
}

/** The files directly in `src/`, without extension. */
export const entryPoints = readdirSync(`${root}src`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))

/** Those with a CommonJS build. */
export const dualEntryPoints = entryPoints.filter((name) => !(name in moduleOnly))
