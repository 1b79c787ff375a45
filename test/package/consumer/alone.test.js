import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** For a project that has plant-mock and no other package, none of its optional peers either. */

test('plant-mock brings no other package', async () => {
  const { stdout } = await promisify(execFile)('npm', ['ls', '--all', '--json'])
  assert.deepEqual(Object.entries(JSON.parse(stdout).dependencies).flatMap(installed), ['plant-mock'])
})

/** A peer that is not there is listed too, without a version. */
const installed = ([name, { version, dependencies = {} }]) => [
  ...(version === undefined ? [] : [name]),
  ...Object.entries(dependencies).flatMap(installed),
]

const { exports, peerDependencies } = JSON.parse(
  await readFile('node_modules/plant-mock/package.json', 'utf8'),
)
const needsNoPeer = ['.', './node', './control', './fixtures', './contract', './conformance']

for (const door of needsNoPeer)
  test(`plant-mock${door.slice(1)} needs no other package`, async () => {
    await import(`plant-mock${door.slice(1)}`)
  })

const others = Object.keys(exports).filter(
  (door) => exports[door].default?.endsWith('.js') && !needsNoPeer.includes(door),
)
for (const door of others)
  test(`plant-mock${door.slice(1)} needs a peer at the most`, async () => {
    const reason = await import(`plant-mock${door.slice(1)}`).catch((error) => error)
    if (!(reason instanceof Error)) return
    const missing = /Cannot find package '(.+?)'/.exec(reason.message)?.[1]
    assert.ok(Object.hasOwn(peerDependencies, missing), reason.message)
  })
