import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { as } from '../support/targets.ts'
import { root, run, stopAll } from './support/cli.ts'
import { runPlaywright } from './support/playwright.ts'

const folder = await openFolder()
afterEach(stopAll)

const isAccepted = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

const firstPlant = async (port: number) => (await fetch(`http://127.0.0.1:${port}/plants?limit=1`, as('alice'))).json()

describe('a server', () => {
  it('refuses connections until a large fixture file is loaded, and then gives real answers', async () => {
    const file = join(folder, 'large.ndjson')
    const stream = createWriteStream(file)
    const written = finished(stream)
    for (let id = 1; id <= 300_000; id++) stream.write(`{"id":${id},"name":"Plant ${id}","tag":"large"}\n`)
    stream.end()
    await written
    const port = await freePort()
    const { printed } = run(['--port', String(port), '--fixtures', file])
    let refused = 0
    while (!(await isAccepted(port))) refused++
    expect(await firstPlant(port)).toEqual([{ name: 'Plant 1', tag: 'large' }])
    expect(refused).toBeGreaterThan(0)
    await printed(/Plants {5}300000 plants from /)
  })

  it('refuses connections until the module of --handlers is loaded', async () => {
    const gate = createServer().listen(0, '127.0.0.1')
    await once(gate, 'listening')
    onTestFinished(() => void gate.close())
    const file = join(folder, 'handlers.mjs')
    const msw = join(root, 'node_modules/msw/lib/core/index.mjs')
    await writeFile(
      file,
      `import { http, HttpResponse } from ${JSON.stringify(msw)}
       await fetch('http://127.0.0.1:${(gate.address() as AddressInfo).port}')
       export const handlers = [http.get('*/plants', () => HttpResponse.json(['of the handler']))]`,
    )
    const port = await freePort()
    const { printed } = run(['--port', String(port), '--handlers', file])
    const [, res] = await once(gate, 'request')
    expect(await isAccepted(port)).toBe(false)
    res.end()
    await printed(/Stop/)
    expect(await firstPlant(port)).toEqual(['of the handler'])
  })
})

describe('Playwright', () => {
  it('starts a server as its webServer, and waits for the plain address', async () => {
    const port = await freePort()
    const env = { PLANT_MOCK_PORT: String(port), PLANT_MOCK_BIN: `${root}dist/bin.js` }
    const tests = await runPlaywright('test/package/playwright/web-server/playwright.config.ts', { env })
    expect(tests).toMatchObject([{ outcome: 'expected', errors: [] }])
    expect(await isAccepted(port)).toBe(false)
  })
})
