import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'

const plantMock = async (...args) => (await promisify(execFile)('npx', ['plant-mock', ...args])).stdout

/** Starts a server in a separate process group. */
const serve = async (t, command, ...args) => {
  const child = spawn(command, [...args, '--port', '0', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const stop = () => process.kill(-child.pid, 'SIGTERM')
  const ended = once(child, 'close')
  t.after(() => child.exitCode ?? child.signalCode ?? stop())
  const [url] = await once(createInterface(child.stdout), 'line')
  return { child, url, stop, ended }
}

const listStatus = async (url) => {
  const listed = await fetch(`${url}/plants`, { headers: { Authorization: 'Bearer alice' } })
  await listed.body.cancel()
  return listed.status
}

test('plant-mock serves until SIGTERM, then exits with 0', async (t) => {
  const { child, url, ended } = await serve(t, 'node_modules/.bin/plant-mock')
  assert.equal(await listStatus(url), 200)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

// npx forwards no SIGTERM to its child, so the signal goes to the process group, as from a terminal.
test('npx plant-mock serves until its process group receives SIGTERM', async (t) => {
  const { url, stop, ended } = await serve(t, 'npx', 'plant-mock')
  assert.equal(await listStatus(url), 200)
  stop()
  await ended
  await assert.rejects(listStatus(url))
})

test('plant-mock contract prints the OpenAPI document', async () => {
  const document = JSON.parse(await plantMock('contract'))
  assert.match(document.openapi, /^3\.1\./)
  assert.deepEqual(Object.keys(document.paths), ['/plants'])
})

test('plant-mock generate prints the same plants for the same seed', async () => {
  const first = await plantMock('generate', '--plants', '3', '--seed', '7')
  assert.equal(JSON.parse(first).plants.length, 3)
  assert.equal(await plantMock('generate', '--plants', '3', '--seed', '7'), first)
})
