import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

/**
 * Serves a page of Next.js that fetches plants on the server, from the mock that `instrumentation.ts` starts.
 * Usage, in the project: node next.js turbopack|webpack
 */
const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((closed) => server.close(closed))
  return port
}

const [, , bundler] = process.argv
const [mockPort, port] = [await freePort(), await freePort()]
writeFileSync(
  'instrumentation.ts',
  readFileSync('instrumentation.ts', 'utf8').replace(/port: \d+/, `port: ${mockPort}`),
)
const next = spawn('npx', ['next', 'dev', `--${bundler}`, '--port', String(port)], {
  detached: true,
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', PLANTS_URL: `http://127.0.0.1:${mockPort}` },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  for await (const line of createInterface(next.stdout)) {
    console.log(line)
    if (line.includes('Ready')) break
  }
  const response = await fetch(`http://127.0.0.1:${port}/`)
  assert.match(await response.text(), /<p>Monstera deliciosa<\/p>/)
} finally {
  process.kill(-next.pid, 'SIGKILL')
}
