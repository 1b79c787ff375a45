import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { bearer, createPlantMock, type Fault, type JournalEntry } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { asCurl, asTest } from '../../../src/server/dashboard/page/copy-request.ts'

const base = 'http://127.0.0.1:4010'

const words = async (command: string): Promise<string[]> => {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { TOKEN: 'the token' } })
  return stdout.split('\0').slice(0, -1)
}

const entryOf = async (url: string, init: RequestInit, fault?: object) => {
  const mock = createPlantMock()
  if (fault !== undefined) await mock.fail(fault as Fault)
  await mock.fetch(url, init)
  const entry = await mock.requests.last()
  if (entry === undefined) throw new Error('The journal is empty.')
  return entry
}

describe('a request copied as curl', () => {
  it('has method, headers, body and URL, and $TOKEN instead of the token', async () => {
    const body = `{"id":7,"name":"it's a \\"rose\\" $(rm) \`x\`","tag":"t"}`
    const init = { method: 'POST', headers: { ...bearer('alice'), 'content-type': 'application/json' }, body }
    const text = asCurl(await entryOf('/plants?a=b&c', init), base)
    expect(text).toContain('"Authorization: Bearer $TOKEN"')
    expect(await words(text)).toEqual([
      '-X',
      'POST',
      '-H',
      'Authorization: Bearer the token',
      '-H',
      'content-type: application/json',
      '--data-raw',
      body,
      `${base}/plants?a=b&c`,
    ])
  })

  it('passes any body unchanged through a shell', async () => {
    const property = fc.asyncProperty(
      fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
      async (body) => {
        const entry = await entryOf('/plants', { method: 'POST', headers: bearer('alice'), body })
        expect((await words(asCurl(entry, base))).slice(-2)).toEqual([body, `${base}/plants`])
      },
    )
    await fc.assert(property, { numRuns: 30 })
  })
})

it('a request copied as curl, however odd, is the same request again', async () => {
  const { url, mock, close } = await startPlantMock({ fixtures: ['garden'] })
  const send = (lines: readonly string[], body = '') => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end(`${lines.join('\r\n')}\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    return once(socket.resume(), 'close')
  }
  const seen = async () => {
    const { method, url, status, caller, request } = (await mock.requests.last()) as JournalEntry
    const { authorization, prefer, 'content-type': type, 'content-encoding': encoding } = request.headers
    return { method, url, status, caller, authorization, prefer, type, encoding, body: request.body }
  }
  const auth = 'Authorization: Bearer alice'
  const json = 'Content-Type: application/json'
  for (const [lines, body] of [
    [['GET /a/../plants?x=/../ HTTP/1.1', auth]],
    [['GET /./plants/.. HTTP/1.1', auth]],
    [['GET //other.example/plants HTTP/1.1', auth]],
    [['GET /plants#part HTTP/1.1', auth]],
    [['OPTIONS * HTTP/1.1', auth]],
    [['GET /plants?a[]={x,y}&b=$(id)%20`id`\'";| HTTP/1.1', auth]],
    [['GET /plants HTTP/1.1', auth, 'Prefer: code=503']],
    [['GET /plants HTTP/1.1', auth, 'Prefer:']],
    [['GET /plants HTTP/1.1', auth, json], '{"name":1}'],
    [['PURGE /plants HTTP/1.1', 'Authorization: Basic alice']],
    [['GET /plants HTTP/1.1', 'Authorization: alice']],
    [['POST /plants HTTP/1.1', auth, json, 'Content-Encoding: br'], '{}'],
    [['POST /plants HTTP/1.1', auth], '@/etc/hostname'],
    [['POST /plants HTTP/1.1', auth, json], '\u0003\nid\r\n\t\u001B[2J'],
    [['POST /plants HTTP/1.1', auth, json], '%s\\0\x001\0'],
  ] as const) {
    await send(lines, body)
    const first = await seen()
    const command = asCurl((await mock.requests.last()) as JournalEntry, url)
    expect(command).toMatch(/^[ -~]*$/)
    await promisify(execFile)('bash', ['-c', `${command} -s`], { env: { ...process.env, TOKEN: 'alice' } })
    expect(await seen()).toEqual(first)
  }
  expect(await mock.requests.count()).toBe(30)
  await close()
})

describe('the method of a request copied as curl', () => {
  it('is a word of a shell, whatever token it is (RFC 9110, 5.6.2)', async () => {
    const entry = { ...(await entryOf('/plants', { headers: bearer('alice') })), method: "`$x|&'*" }
    expect(await words(asCurl(entry, base))).toContain("`$x|&'*")
  })

  it.each([
    ['GET', undefined, []],
    ['HEAD', undefined, ['-I']],
    ['DELETE', undefined, ['-X', 'DELETE']],
    ['POST', '@/etc/hostname', ['-X', 'POST', '-H', 'content-type:', '--data-raw', '@/etc/hostname']],
  ])('%s %s', async (method, body, expected) => {
    const entry = await entryOf('/plants?a[]={x}', {
      method,
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    })
    expect(await words(asCurl(entry, base))).toEqual(['-g', ...expected, `${base}/plants?a[]={x}`])
  })
})

describe('a request copied as a test', () => {
  const runCopied = async (text: string): Promise<void> => {
    let copied: () => Promise<void> = async () => expect.unreachable()
    const test = (_: string, body: () => Promise<void>) => {
      copied = body
    }
    const values = { bearer, createPlantMock, garden, expect, test }
    new Function(...Object.keys(values), text.replaceAll(/^import .*\n/gm, ''))(...Object.values(values))
    await copied()
  }

  it('uses plant-mock, and expects what the contract states of a list', async () => {
    const text = asTest(await entryOf('/plants?limit=3', { headers: bearer('alice') }))
    expect(text).toBe(`import { bearer, createPlantMock } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { expect, test } from 'vitest'

test("GET /plants?limit=3", async () => {
  const mock = createPlantMock({ fixtures: garden })
  const response = await mock.fetch("/plants?limit=3", {
    headers: { ...bearer("caller-1") },
  })
  expect(response.ok).toBe(true)
  const plants = await response.json()
  // A list never holds more plants than limit (contract 4.2).
  expect(plants.length).toBeLessThanOrEqual(3)
  // Each has a name and a tag, and no id (contract 2.2).
  for (const plant of plants) expect(plant).toEqual({ name: expect.any(String), tag: expect.any(String) })
})
`)
    await runCopied(text)
  })

  const json = { 'content-type': 'application/json' }
  it.each<[name: string, url: string, init: RequestInit, fault?: object]>([
    [
      'a create',
      '/plants',
      { method: 'POST', headers: { ...bearer('a'), ...json }, body: '{"id":900,"name":"it\'s `x`","tag":"\u2028"}' },
    ],
    [
      'a create without a tag',
      '/plants',
      { method: 'POST', headers: { ...bearer('a'), ...json }, body: '{"name":"n"}' },
    ],
    ['a create that is refused', '/plants', { method: 'POST', headers: { ...bearer('a'), ...json }, body: '[]' }],
    ['a list without a token', '/plants', {}],
    ['a list without a limit', '/plants', { headers: bearer('a') }],
    ['a list with a limit that is no number', '/plants?limit=x', { headers: bearer('a') }],
    ['HEAD', '/plants', { method: 'HEAD', headers: bearer('a') }],
    ['another path', '/plants/7', { method: 'DELETE', headers: bearer('a') }],
    [
      'a body with another coding',
      '/plants',
      { method: 'POST', headers: { ...json, 'content-encoding': 'br' }, body: '' },
    ],
    ['a preferred failure', '/plants', { headers: { ...bearer('a'), prefer: 'code=503' } }],
    ['a fault', '/plants', { headers: bearer('a') }, { status: 503, operation: 'listPlants' }],
    ['a fault that succeeds', '/plants', { headers: bearer('a') }, { status: 200, body: 'odd' }],
  ])('passes for %s', async (_, url, init, fault) => {
    await runCopied(asTest(await entryOf(url, init, fault)))
  })

  it('fails for a mock that answers otherwise', async () => {
    const text = asTest(await entryOf('/plants?limit=3', { headers: bearer('alice') }))
    await expect(
      runCopied(text.replace('{ fixtures: garden }', "{ fixtures: garden, assume: { 'auth.tokens': 'listed' } }")),
    ).rejects.toThrow()
  })
})
