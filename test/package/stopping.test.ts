import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { numbers } from '../support/conformance.ts'
import { runs } from '../support/runs.ts'
import { serve, stopAll } from './support/cli.ts'

afterEach(stopAll)

type Sent = { readonly beforeStop: boolean; response: 'whole' | 'cut' | 'none' }

const stopUnderLoad = async (seed: number, args: readonly string[]) => {
  const { url, child, finished } = await serve(args)
  const random = numbers(seed)
  const port = Number(new URL(url).port)
  const sent: Sent[] = []
  let remaining = Math.floor(random() * 200)
  /** At most 4 connections wait with a slow body, which leaves the others free for further requests. */
  const slowBodies: (() => void)[] = []
  const finishBodies = () => {
    for (const finish of slowBodies.splice(0)) finish()
  }
  let stopping = false
  const stop = (): void => {
    stopping = true
    child.kill('SIGTERM')
    finishBodies()
  }

  const oneConnection = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1')
    let request: Sent | undefined
    let received = Buffer.alloc(0)
    const send = (): void => {
      request = { beforeStop: !stopping, response: 'none' }
      received = Buffer.alloc(0)
      sent.push(request)
      const [head, body] = random() < 0.5 ? list(Math.floor(random() * 3_000)) : create(sent.length)
      const isSlow = body !== '' && !stopping && slowBodies.length < 4 && random() < 0.1
      socket.write(isSlow ? head + body.slice(0, 5) : head + body)
      if (isSlow) slowBodies.push(() => socket.write(body.slice(5)))
    }
    socket.on('connect', send)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (request === undefined || !isWhole(received)) {
        if (request !== undefined) request.response = 'cut'
        return
      }
      request.response = 'whole'
      request = undefined
      if (remaining-- === 0) stop()
      else if (random() < 0.2) finishBodies()
      if (/^connection: close$/im.test(received.toString('latin1', 0, 1_000))) socket.end()
      else send()
    })
    await new Promise((resolve) => socket.on('close', resolve))
  }
  await Promise.all(Array.from({ length: 12 }, oneConnection))
  const { code, out, error } = await finished
  return { sent, code, error, logged: out.match(/^(?:GET|POST) /gm)?.length ?? 0 }
}

const head = (line: string, ...more: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Authorization: Bearer alice', ...more, '', ''].join('\r\n')

const list = (limit: number): [head: string, body: string] => [head(`GET /plants?limit=${limit}`), '']

const create = (number: number): [head: string, body: string] => {
  const body = JSON.stringify({ id: 1_000_000 + number, name: 'Nephrolepis exaltata', tag: 'fern' })
  return [head('POST /plants', 'Content-Type: application/json', `Content-Length: ${body.length}`), body]
}

const isWhole = (bytes: Buffer): boolean => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return false
  const [, length] = /^content-length: (\d+)$/im.exec(bytes.toString('latin1', 0, end)) ?? []
  return bytes.length === end + 4 + Number(length)
}

describe('SIGTERM under load', () => {
  const seeds = fc.sample(fc.nat(), { numRuns: 4 * runs(10), seed: Number(process.env.FC_SEED ?? 4010) })
  const kinds = [[], ['--plants', '3000'], ['--latency', '1-60'], ['--fail-rate', '0.3']]
  it('loses no request that was sent before it, and cuts no response, whether small, large, slow or failing', async () => {
    for (const [i, seed] of seeds.entries()) {
      const args = kinds[i % kinds.length] ?? []
      const { sent, code, error, logged } = await stopUnderLoad(seed, args)
      expect({
        seed,
        code,
        error,
        lost: sent.filter(({ beforeStop, response }) => beforeStop && response !== 'whole'),
      }).toEqual({
        seed,
        code: 0,
        error: '',
        lost: [],
      })
      // After SIGTERM, a response is whole or absent, never cut: a client can retry after an absent response.
      expect(sent.filter(({ response }) => response === 'cut')).toEqual([])
      expect(logged).toBe(sent.filter(({ response }) => response === 'whole').length)
    }
  })
})

describe('a server that npm started through a shell', () => {
  const env = { npm_lifecycle_script: 'plant-mock' }
  const shell = '"$@"; true'

  it.each([
    ['its shell', 'SIGTERM', shell],
    ['npm', 'SIGKILL', `sh -c '${shell}' sh ${shell}`],
  ] as const)('stops as on SIGTERM when %s is ended with %s', async (_, signal, through) => {
    const { child, finished } = await serve([], { env, through })
    child.kill(signal)
    expect((await finished).out).toContain('Stopped.')
  })
})
