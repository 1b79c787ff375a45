import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { bearer, createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { asCurl } from '../../../src/server/dashboard/page/copy-request.ts'

const base = 'http://127.0.0.1:4010'

/** The arguments that a shell passes to curl. */
const words = async (command: string): Promise<string[]> => {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { TOKEN: 'the token' } })
  return stdout.split('\0').slice(0, -1)
}

const entryOf = async (url: string, init: RequestInit) => {
  const mock = createPlantMock()
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
      fc.string({ minLength: 1 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
      async (body) => {
        const entry = await entryOf('/plants', { method: 'POST', headers: bearer('alice'), body })
        expect((await words(asCurl(entry, base))).slice(-2)).toEqual([body, `${base}/plants`])
      },
    )
    await fc.assert(property, { numRuns: 30 })
  })
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
