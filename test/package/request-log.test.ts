import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestFolder } from '../support/folder.ts'
import { as } from '../support/targets.ts'
import { serve, stopAll } from './support/cli.ts'

afterEach(stopAll)

const pipeline = async (url: string, count: number, path: string): Promise<number> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const request = (connection: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nAuthorization: Bearer alice\r\n\r\n`
  socket.write(request('keep-alive').repeat(count - 1) + request('close'))
  let responses = 0
  let rest = ''
  for await (const chunk of socket.setEncoding('latin1')) {
    const parts = (rest + chunk).split('HTTP/1.1 200 OK')
    responses += parts.length - 1
    rest = parts.at(-1)?.slice(-20) ?? ''
  }
  return responses
}

const linesIn = (out: string): readonly string[] => out.split('\n').filter((line) => line.startsWith('GET '))

describe('the request log', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('has every request before %s, in order', async (signal) => {
    const { url, child, finished } = await serve()
    for (let i = 0; i < 20; i++) await pipeline(url, 100, `/plants?limit=${i + 1}`)
    child.kill(signal)
    const { code, out } = await finished
    expect(code).toBe(0)
    const numbers = linesIn(out).map((line) => Number(/limit=(\d+)/.exec(line)?.[1]))
    expect(numbers).toEqual(Array.from({ length: 2_000 }, (_, i) => 1 + Math.floor(i / 100)))
    expect(out).toMatch(/ms\nStopped\.\n$/)
  })

  it('has every request before an error that ends the server', async () => {
    const folder = await openTestFolder()
    const file = join(folder, 'handlers.js')
    await writeFile(
      file,
      `import { http, HttpResponse } from '${import.meta.resolve('msw')}'
       export const handlers = [http.get('*/plants', () => {
         setImmediate(() => { throw new Error('the end') })
         return HttpResponse.json([])
       })]`,
    )
    const { url, finished } = await serve(['--handlers', file])
    for (let i = 0; i < 5; i++) await fetch(`${url}/elsewhere?n=${i}`)
    await fetch(`${url}/plants?n=5`).catch(() => undefined)
    const { code, out, error } = await finished
    expect(code).not.toBe(0)
    expect(error).toContain('the end')
    expect(
      linesIn(out)
        .slice(0, 5)
        .map((line) => /n=(\d)/.exec(line)?.[1]),
    ).toEqual(['0', '1', '2', '3', '4'])
  })

  it('ends with its reader, and the server continues', async () => {
    const { url, child, finished } = await serve()
    child.stdout?.destroy()
    for (let i = 0; i < 5; i++) expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
    child.kill('SIGTERM')
    const { code, error } = await finished
    expect(code).toBe(0)
    expect(error).toBe('plant-mock: The reader of standard output has ended; nothing more is printed there.\n')
  })

  it('leaves requests out while its reader is slow, and says how many', async () => {
    const { url, child, finished } = await serve()
    child.stdout?.pause()
    const path = `/plants?limit=0&x=${'x'.repeat(100)}`
    const count = 20_000
    expect(await pipeline(url, count, path)).toBe(count)
    child.stdout?.resume()
    child.kill('SIGTERM')
    const { code, out } = await finished
    const [, omitted = 0] = /^(\d+) requests not logged, because standard output is read too slowly$/m.exec(out) ?? []
    expect(code).toBe(0)
    expect(Number(omitted)).toBeGreaterThan(1_000)
    expect(linesIn(out)).toHaveLength(count - Number(omitted))
  })
})
