import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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

/** The files that take longest, longest first: a run that began with the others would end with one busy worker. */
const longest = [
  'package/playwright',
  'package/vary',
  'package/persist-kill',
  'package/dashboard',
  'package/guides',
  'package/verify',
  'package/vitest-integration',
  'conformance/learning',
  'conformance/imitation',
  'conformance/check',
  'store/isolation.property',
  'mock/sessions.property',
].map((name) => `${root}test/${name}.test.ts`)

/** The source, then the build; in each project the longest files first, then in the order of Vitest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const index = longest.indexOf(moduleId)
      return (project.name === 'source' ? 0 : 1000) + (index === -1 ? longest.length : index)
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export const sourceAlias = alias('src', '.ts')
const unitTests = 'test/**/*.unit.test.ts'
const packageTests = 'test/package/**/*.test.ts'
const projectFolders = ['test/app/**', 'test/example/**', 'test/soak/**']

/**
 * `test/` mirrors `src/`. A file `*.test.ts` uses the public entry points only, so it runs against the source and
 * against the build. A file `*.unit.test.ts` tests single modules of the source. `test/package` tests the built
 * package and its programs.
 *
 * `source` is the fast loop: one worker a core, modules shared between test files (the source has no module-level
 * mutable state), and a quarter of the runs of each property. `dist` draws the other runs (test/support/runs.ts), and
 * runs afterwards because its tests measure processes and memory.
 */
export default defineConfig({
  root,
  test: {
    setupFiles: ['test/setup.ts'],
    // Property tests take seconds, and longer on a machine with other work.
    testTimeout: 20_000,
    maxWorkers: '100%',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        resolve: { alias: sourceAlias },
        test: {
          name: 'source',
          env: { PROPERTY_RUNS: '0.25' },
          include: ['test/**/*.test.ts'],
          exclude: [packageTests, '**/node_modules/**', ...projectFolders],
        },
      },
      {
        extends: true,
        resolve: { alias: alias('dist', '.js') },
        test: {
          name: 'dist',
          env: { PROPERTY_RUNS: '1.75' },
          include: ['test/**/*.test.ts'],
          // A test extracts the code blocks of the guides into `.guides`; an interrupted run leaves that folder behind.
          exclude: [unitTests, '**/node_modules/**', '**/.guides/**', ...projectFolders],
        },
      },
    ],
  },
})
