#!/usr/bin/env node
type CompileCache = { readonly enableCompileCache?: () => void; readonly flushCompileCache?: () => void }

// perf: Node.js 22.8 and later keep the compiled code of the modules that are imported from now on, by default in a
// folder of the temporary directory; `npm run bench` measures the start of `serve`.
const { enableCompileCache, flushCompileCache } = (process.getBuiltinModule?.('node:module') ?? {}) as CompileCache
enableCompileCache?.()
// Node.js writes it at the end of the process, which a server that is killed does not reach.
setTimeout(() => flushCompileCache?.(), 5_000).unref()

const { processTerminal, run } = await import('./cli/main.ts')
process.exitCode = await run(process.argv.slice(2), processTerminal())
