#!/usr/bin/env node
type CompileCache = { readonly enableCompileCache?: () => void; readonly flushCompileCache?: () => void }

// perf: Node.js 22.8 and later keep the compiled code of the modules that are imported from now on; `npm run bench`
// measures the start of `serve`. They keep it in the temporary folder, which they would create if it were missing.
const { getBuiltinModule } = process
const { enableCompileCache, flushCompileCache } = (getBuiltinModule?.('node:module') ?? {}) as CompileCache
if (enableCompileCache && getBuiltinModule('node:fs').existsSync(getBuiltinModule('node:os').tmpdir())) {
  enableCompileCache()
  // They write it at the end of the process, which a server that is killed does not reach.
  setTimeout(() => flushCompileCache?.(), 1_000).unref()
}

const { main, processTerminal } = await import('./cli/main.ts')
process.exitCode = await main(process.argv.slice(2), processTerminal())
