#!/usr/bin/env node
type CompileCache = { readonly enableCompileCache?: () => void; readonly flushCompileCache?: () => void }

// perf: from here on, Node.js 22.8 and later cache compiled modules in the temporary folder; `npm run bench` measures
// the start of `serve`. If that folder is missing, the cache stays off: Node.js would create the folder.
const { getBuiltinModule } = process
const { enableCompileCache, flushCompileCache } = (getBuiltinModule?.('node:module') ?? {}) as CompileCache
if (enableCompileCache && getBuiltinModule('node:fs').existsSync(getBuiltinModule('node:os').tmpdir())) {
  enableCompileCache()
  // Node.js writes the cache at exit, which a killed server does not reach.
  setTimeout(() => flushCompileCache?.(), 1_000).unref()
}

const { main, processTerminal } = await import('./cli/main.ts')
process.exitCode = await main(process.argv.slice(2), processTerminal())
