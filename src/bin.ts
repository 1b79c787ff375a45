#!/usr/bin/env node
type CompileCache = { readonly enableCompileCache?: () => void; readonly flushCompileCache?: () => void }

// Only syntax of Node.js 12 in this file, so that an old version says what to do instead of a syntax error.

const start = async (): Promise<void> => {
  // perf: from here on, Node.js 22.8 and later cache compiled modules in the temporary folder; `npm run bench` measures
  // the start of `serve`. If that folder is missing, the cache stays off: Node.js would create the folder.
  const { getBuiltinModule } = process
  const { enableCompileCache, flushCompileCache } = (
    getBuiltinModule ? getBuiltinModule('node:module') : {}
  ) as CompileCache
  if (enableCompileCache && getBuiltinModule('node:fs').existsSync(getBuiltinModule('node:os').tmpdir())) {
    enableCompileCache()
    // Node.js writes the cache at exit, which a killed server does not reach.
    if (flushCompileCache) setTimeout(flushCompileCache, 1_000).unref()
  }
  const { main, processTerminal } = await import('./cli/main.ts')
  process.exitCode = await main(process.argv.slice(2), processTerminal())
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  // As after a top-level await: a command that never ends has no success.
  process.exitCode = 13
  start()
} else {
  console.error(`plant-mock: Node.js ${process.versions.node} is too old. Use Node.js 20.19 or later.`)
  process.exitCode = 2
}
