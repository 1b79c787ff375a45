#!/usr/bin/env node
type CompileCache = { readonly enableCompileCache?: () => void; readonly flushCompileCache?: () => void }

// Use only syntax of Node.js 12 in this file: an old Node.js must print the hint to upgrade instead of a syntax error.

const start = async (): Promise<void> => {
  // perf: the compile cache of Node.js 22.8 and later shortens the start of `serve` (`npm run bench`).
  const { getBuiltinModule } = process
  const { enableCompileCache, flushCompileCache } = (
    getBuiltinModule ? getBuiltinModule('node:module') : {}
  ) as CompileCache
  // Checks that the temporary folder exists, because `enableCompileCache` would create it.
  if (enableCompileCache && getBuiltinModule('node:fs').existsSync(getBuiltinModule('node:os').tmpdir())) {
    enableCompileCache()
    // Writes the compile cache early, because Node.js writes the cache at exit, which a killed server does not reach.
    if (flushCompileCache) setTimeout(flushCompileCache, 1_000).unref()
  }
  const { main, processTerminal } = await import('./cli/main.ts')
  process.exitCode = await main(process.argv.slice(2), processTerminal())
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  // Exits with 13 if the command never settles, as Node.js does for a top-level await.
  process.exitCode = 13
  start()
} else {
  console.error(`plant-mock: Node.js ${process.versions.node} is too old. Use Node.js 20.19 or later.`)
  process.exitCode = 2
}
