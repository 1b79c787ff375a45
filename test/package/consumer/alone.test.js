import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** For a project with plant-mock and no other package, not even optional peers. */

test('plant-mock has no dependencies', async () => {
  const { stdout } = await promisify(execFile)('npm', ['ls', '--all', '--json'])
  assert.deepEqual(Object.entries(JSON.parse(stdout).dependencies).flatMap(installed), ['plant-mock'])
})

/** npm also lists missing peers, without a version. */
const installed = ([name, { version, dependencies = {} }]) => [
  ...(version === undefined ? [] : [name]),
  ...Object.entries(dependencies).flatMap(installed),
]

const { exports, peerDependencies } = JSON.parse(await readFile('node_modules/plant-mock/package.json', 'utf8'))
const withoutPeers = ['.', './node', './control', './fixtures', './contract', './conformance']

for (const entryPoint of withoutPeers)
  test(`plant-mock${entryPoint.slice(1)} needs no other package`, async () => {
    await import(`plant-mock${entryPoint.slice(1)}`)
  })

const withPeers = Object.keys(exports).filter(
  (entryPoint) => typeof exports[entryPoint] === 'object' && !withoutPeers.includes(entryPoint),
)
for (const entryPoint of withPeers)
  test(`plant-mock${entryPoint.slice(1)} needs at most a peer`, async () => {
    const error = await import(`plant-mock${entryPoint.slice(1)}`).catch((reason) => reason)
    if (!(error instanceof Error)) return
    const missing = /Cannot find package '(.+?)'/.exec(error.message)?.[1]
    assert.ok(Object.hasOwn(peerDependencies, missing), error.message)
  })
