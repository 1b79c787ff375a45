import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Serves with another runtime, sends a request, and stops in an orderly way. Usage: node serve.js PROGRAM ARGUMENT... */
const [, , program = '', ...args] = process.argv
const mock = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
const exited = once(mock, 'exit')
const [url] = await once(createInterface(mock.stdout), 'line')
const response = await fetch(`${url}/plants?limit=1`, { headers: { authorization: 'Bearer alice' } })
assert.equal(response.status, 200)
console.log(await response.text())
mock.kill('SIGTERM')
assert.deepEqual(await exited, [0, null])
