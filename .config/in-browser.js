import { dualEntryPoints } from './entry-points.js'

/** The entry points that need Node.js, with what to use in a page instead. */
export const nodeOnly = {
  jest: 'plant-mock and plant-mock/msw with setupWorker of msw/browser',
  node: 'plant-mock, plant-mock/msw, or plant-mock/control for a running server',
  playwright: 'it in the test files of Playwright, which run in Node.js',
  redis: 'plant-mock or plant-mock/msw for a mock in the page, or plant-mock/control for a running server',
  vite: 'it in the configuration of Vite',
  vitest: 'plant-mock and plant-mock/msw with setupWorker of msw/browser',
}

const messageFor = (name) =>
  `plant-mock/${name} runs in Node.js, not in a page. Use ${nodeOnly[name]}.` +
  (dualEntryPoints.includes(name) ? ' Under jsdom in Jest, use the environment jest-fixed-jsdom.' : '')

/**
 * Adds modules that replace these entry points in pages (the condition `browser`). They have the same exports, because an
 * import of a missing name would fail with a message of its own.
 */
export const inBrowser = {
  name: 'in-browser',
  generateBundle(_, bundle) {
    for (const { name, isEntry, exports } of Object.values(bundle)) {
      if (!isEntry || !(name in nodeOnly)) continue
      const error = `throw new Error(${JSON.stringify(messageFor(name))})\n`
      const names = exports.filter((exported) => exported !== 'default')
      const named = names.length === 0 ? '' : `export let ${names.join(', ')}\n`
      const source = `${error}${named}export default undefined\n`
      this.emitFile({ type: 'asset', fileName: `in-browser/${name}.js`, source })
      if (dualEntryPoints.includes(name))
        this.emitFile({ type: 'asset', fileName: `in-browser/${name}.cjs`, source: error })
    }
  },
}
