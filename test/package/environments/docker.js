import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

/**
 * Carries out the instructions of the Dockerfile in this folder, without Docker: installs a tarball instead of the
 * published package, starts the server, waits until it is healthy, and stops it. Usage: node docker.js TARBALL
 */
const [, , tarball = ''] = process.argv
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()
server.close()

const file = readFileSync('Dockerfile', 'utf8').replaceAll('4010', String(port))
const lineOf = (instruction) => new RegExp(`^${instruction} (.*)$`, 'm').exec(file)?.[1] ?? ''
writeFileSync(lineOf('COPY').split(' ')[0], JSON.stringify({ plants: [{ name: 'Aloe vera', tag: 'succulent' }] }))
const install = lineOf('RUN').replace(/ plant-mock$/, ` '${tarball}'`)
assert.equal(spawnSync(install, { shell: true, stdio: 'inherit' }).status, 0)

const [program, ...args] = [...JSON.parse(lineOf('ENTRYPOINT')), ...JSON.parse(lineOf('CMD'))]
const [checker, ...checkArgs] = JSON.parse(lineOf('HEALTHCHECK CMD'))
const mock = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
const exited = once(mock, 'exit')
await once(mock.stdout, 'data')
assert.equal(spawnSync(checker, checkArgs, { stdio: 'inherit' }).status, 0, 'The server is not healthy.')
const response = await fetch(`http://127.0.0.1:${port}/plants`, { headers: { authorization: 'Bearer alice' } })
assert.deepEqual(await response.json(), [{ name: 'Aloe vera', tag: 'succulent' }])
mock.kill('SIGTERM')
assert.deepEqual((await exited)[0], 0)
