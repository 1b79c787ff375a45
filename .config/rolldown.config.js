import { chmodSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { defineConfig } from 'rolldown'
import { esmExternalRequirePlugin } from 'rolldown/plugins'
import { dualEntryPoints, entryPoints, root } from './entry-points.js'
import { inBrowser } from './in-browser.js'

/** Peers are the user's own; everything else is bundled, so that the package installs nothing beside itself. */
const peers = [
  /^msw($|\/)/,
  /^@msw\/data($|\/)/,
  /^vitest($|\/)/,
  /^vite($|\/)/,
  /^@playwright\/test($|\/)/,
  /^@redis\/client($|\/)/,
]

/**
 * perf: each file costs about a millisecond to find and read, so what is always needed together is one file: the modules
 * that match and everything that they import, apart from what an earlier group has. Without groups, a start takes a third
 * more. `serve` and `control` need Node.js, so what entry points for browsers import too is in the groups before them.
 */
const groups = [
  { name: 'faker', test: /node_modules\/@faker-js\// },
  {
    name: 'core',
    test: /src\/(util\/(?!yaml)|core\/(mock|http)\/|verify\/ask\/sample-options|server\/control\/(paths|events))/,
  },
  { name: 'yaml', test: /src\/util\/yaml\.ts$/ },
  { name: 'documents', test: /src\/(core\/(assumptions\/file|contract\/sections)|verify\/ask\/options)\.ts$/ },
  { name: 'serve', test: /src\/cli\/main\.ts$/ },
  { name: 'control', test: /src\/server\/dashboard\/listener\.ts$/ },
  { name: 'files', test: /src\/server\/files\/load-fixtures\.ts$/ },
]

/** A chunk of its own, because `jest-preset.cjs` needs this module alone: loading `control` with it takes 17 ms. */
const packageFolder = { name: 'package-folder', test: /src\/server\/files\/package-folder\.ts$/ }

/** The page of the dashboard: beside the entryPoints, and nothing of theirs. */
const page = defineConfig({
  input: { main: `${root}src/server/dashboard/page/main.ts` },
  platform: 'browser',
  output: { dir: `${root}dist/dashboard`, format: 'esm', minify: true },
  plugins: [
    {
      name: 'page',
      generateBundle() {
        for (const fileName of ['index.html', 'main.css'])
          this.emitFile({
            type: 'asset',
            fileName,
            source: readFileSync(`${root}src/server/dashboard/page/${fileName}`, 'utf8'),
          })
      },
    },
  ],
})

const inputs = (names) => Object.fromEntries(names.map((name) => [name, `${root}src/${name}.ts`]))

/** Shared by the builds of the entry points as ES modules and as CommonJS. */
const build = {
  external: [...peers, /^node:/, ...builtinModules],
  platform: 'neutral',
  resolve: { conditionNames: ['import', 'default'], mainFields: ['module', 'main'] },
  treeshake: { moduleSideEffects: false },
}

/** The declarations have the documentation; without it, the bundles are a tenth smaller. */
const comments = { legal: true, annotation: true, jsdoc: false }

/** Keeps the names that stack traces show. */
const minify = { mangle: { keepNames: true }, compress: true, codegen: true }

/**
 * perf: one character outside of Latin-1 doubles the memory of a whole source text (`npm run bench`, memory). Faker, which
 * is loaded on demand, has ten thousand.
 */
const latin1 = {
  name: 'latin1',
  generateBundle(_, bundle) {
    const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    for (const file of Object.values(bundle))
      if (file.type === 'chunk' && file.name !== 'faker') file.code = file.code.replaceAll(/[^\0-\xff]/g, escaped)
  },
}

/** Says how to install a peer that `require` does not find, instead of naming a chunk. */
const missingPeers = {
  name: 'missing-peers',
  renderChunk: (code) =>
    code.replaceAll(/\brequire\("(msw)((?:\/\w+)?)"\)/g, (load, peer) => {
      const message = `plant-mock needs ${peer} here. Install it: npm install --save-dev ${peer}`
      const isMissing = `error.code === "MODULE_NOT_FOUND" && /^Cannot find module '${peer}\\b/.test(error.message)`
      return `(() => { try { return ${load} } catch (error) { throw ${isMissing} ? new Error("${message}") : error } })()`
    }),
}

/** hpagent is CommonJS, and ES modules have no `require`. */
const required = ['http', 'https', 'url']

const library = defineConfig({
  ...build,
  external: build.external.filter((name) => !required.includes(name)),
  input: inputs(entryPoints),
  output: {
    dir: `${root}dist`,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups },
    minify,
    comments,
  },
  plugins: [
    latin1,
    inBrowser,
    esmExternalRequirePlugin({ external: required }),
    { name: 'executable', writeBundle: () => chmodSync(`${root}dist/bin.js`, 0o755) },
  ],
})

/** For `require`: state that both builds must share is in `util/shared.ts`. */
const commonJs = defineConfig({
  ...build,
  // `import.meta.url` becomes the address of `__filename`.
  platform: 'node',
  input: inputs(dualEntryPoints),
  output: {
    dir: `${root}dist`,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    codeSplitting: { groups: [packageFolder, ...groups] },
    exports: 'named',
    // Jest runs CommonJS without `import()`.
    dynamicImportInCjs: false,
    strict: true,
    minify,
    comments,
  },
  plugins: [missingPeers, latin1],
})

/** Of Jest: see `requireOfBabel`. */
const babel = /^@babel\/(core|traverse|types)$/

/**
 * Each installation of Jest has Babel, but with pnpm and Yarn only packages of Jest can load it. `require` becomes that of
 * the Babel which belongs to the loaded Jest.
 */
const requireOfBabel = `{
  const { createRequire } = require('node:module')
  const isOfJest = (file) => /[\\\\/]@jest[\\\\/]transform[\\\\/]build[\\\\/]index\\.js$/.test(file)
  const jest = createRequire(Object.keys(require.cache).find(isOfJest) ?? __filename)
  try {
    require = createRequire(jest.resolve('@babel/core'))
  } catch {
    throw new Error('plant-mock/jest-preset compiles msw with @babel/core, which this Jest lacks. Install it: npm install --save-dev @babel/core@7')
  }
}`

/**
 * Programs that test runners load, each in one file. The preload is CommonJS: `node --import` would make Node.js 20 load
 * each program as an ES module, which `--require ts-node/register` and others do not support.
 */
const program = (input, extension, output = {}) =>
  defineConfig({
    input: { [input.split('/').at(-1)]: `${root}src/${input}.ts` },
    external: [/^node:/, babel],
    platform: 'node',
    output: {
      dir: `${root}dist/${input.split('/')[0]}`,
      format: extension === 'cjs' ? 'cjs' : 'esm',
      exports: 'named',
      entryFileNames: `[name].${extension}`,
      codeSplitting: false,
      minify: true,
      // No bundler reads these files.
      comments: { ...comments, annotation: false },
      ...output,
    },
  })

export default [
  library,
  commonJs,
  page,
  program('vary/suite/preload', 'cjs'),
  program('vary/evidence/observer', 'cjs'),
  program('vary/suite/runners/vitest-reporter', 'mjs'),
  program('vary/suite/runners/playwright-reporter', 'cjs'),
  program('integrations/jest-babel', 'cjs', { intro: requireOfBabel }),
]
