import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The programs that wait for a server start with its port, its plain address, and its health. */
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()
server.close()

const address = `http://127.0.0.1:${port}`
const health = `${address}/__plant-mock/health`
const run = (program, ...args) =>
  assert.equal(spawnSync(program, args, { stdio: 'inherit' }).status, 0, `${program} ${args.join(' ')}`)

const request = `curl --fail --silent -H 'Authorization: Bearer alice' '${address}/plants?limit=1'`
for (const waited of [`${port}`, address, health])
  run('start-server-and-test', `plant-mock --port ${port}`, waited, request)

const mock = spawn('plant-mock', ['--port', `${port}`, '--quiet'], { stdio: 'inherit' })
const exited = once(mock, 'exit')
run('wait-on', '--timeout', '20000', address, `http-get://127.0.0.1:${port}`, health)
mock.kill('SIGTERM')
assert.deepEqual(await exited, [0, null])
