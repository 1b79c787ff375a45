import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

/**
 * perf: lets V8 compile the functions that run until the first response together with their module, by rewriting them as
 * expressions in parentheses. Otherwise it parses each of them a second time when it is called, and the compile cache of
 * Node.js lacks them (`npm run bench`, cold start).
 */
export const eagerStart = {
  name: 'eager-start',
  async writeBundle({ dir }) {
    try {
      for (const [file, starts] of await functionsUntilFirstResponse(join(dir, 'bin.js')))
        writeFileSync(file, withExpressions(readFileSync(file, 'utf8'), starts))
    } catch (error) {
      this.warn(`No function is compiled early, because the server cannot be run: ${error.message}`)
    }
  },
}

/** The positions at which the called functions start, by file. */
const functionsUntilFirstResponse = async (bin) => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-mock-coverage-'))
  try {
    await serveOneRequest(bin, { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' })
    const { result } = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'))
    return result
      .filter(({ url }) => url.startsWith('file:') && !url.endsWith('/bin.js'))
      .map(({ url, functions }) => {
        const called = functions.map(({ ranges }) => ranges[0]).filter(({ count }) => count > 0)
        return [fileURLToPath(url), new Set(called.map(({ startOffset }) => startOffset))]
      })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const serveOneRequest = async (bin, variables) => {
  const env = { PATH: process.env.PATH, TMPDIR: tmpdir(), ...variables }
  const server = spawn(process.execPath, [bin, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const [firstLine] = await Promise.race([once(createInterface(server.stdout), 'line'), ended])
  const url = /http:\S+/.exec(firstLine)?.[0]
  const response = await fetch(`${url}/plants?limit=20`, { headers: { authorization: 'Bearer alice' } })
  await response.text()
  server.kill()
  await ended
}

const withExpressions = (code, starts) => {
  const parts = []
  let end = 0
  for (const statement of parseAst(code).body) {
    if (statement.type !== 'FunctionDeclaration' || statement.generator || !starts.has(statement.start)) continue
    const text = code.slice(statement.start, statement.end)
    parts.push(code.slice(end, statement.start), `const ${statement.id.name} = (${text});`)
    end = statement.end
  }
  return `${parts.join('')}${code.slice(end)}`
}
