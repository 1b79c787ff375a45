import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { loadFixtures, type StartOptions, startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { openTestFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { sendJson } from '../../support/upstream.ts'

const { serve, start } = useServers()

type Recording = {
  readonly log: { readonly entries: { request: { headers: { name: string; value: string }[] } }[] }
}

const secret = 'a-token-of-forty-characters-that-is-real'

describe('a recording of the upstream', () => {
  const recordingTo = (file: string, url: string, more: StartOptions = {}) =>
    startPlantMock({ upstream: { url, for: 'all', record: file }, grace: 0, ...more })
  const tokens = ['token-of-alice-that-is-long', 'token-of-bob-that-is-as-long']
  const listOf = async (url: string, token: string, query = '') =>
    (await fetch(`${url}/plants${query}`, as(token))).json()

  const anyStep = fc.oneof(
    fc.record({
      token: fc.constantFrom(...tokens),
      id: fc.nat(9),
      name: fc.constantFrom('a', 'b', 'c'),
    }),
    fc.record({ token: fc.constantFrom(...tokens), limit: fc.option(fc.nat(4), { nil: undefined }) }),
  )

  it('replays the same lists to the pseudonyms, for any creates and lists', async () => {
    const path = await openTestFolder()
    let run = 0
    const property = fc.asyncProperty(
      fc.array(fc.record({ name: fc.constantFrom('a', 'b'), tag: fc.constant('t') }), { maxLength: 4 }),
      fc.array(anyStep, { maxLength: 10 }),
      async (fixtures, steps) => {
        const file = join(path, `${++run}.har`)
        const service = await startPlantMock({ fixtures, grace: 0 })
        const recording = await recordingTo(file, service.url)
        for (const step of steps) {
          const headers = as(step.token).headers as Record<string, string>
          if ('limit' in step)
            await listOf(recording.url, step.token, step.limit === undefined ? '' : `?limit=${step.limit}`)
          else await fetch(`${recording.url}/plants`, post({ id: step.id, name: step.name, tag: 't' }, headers))
        }
        const lists = [await listOf(recording.url, tokens[0] ?? ''), await listOf(recording.url, tokens[1] ?? '')]
        const names = tokens.map((token) => recording.mock.instances.callers.pseudonymOf(token))
        await recording.close()
        await service.close()
        const replay = await startPlantMock({ fixtures: [file], grace: 0 })
        expect([await listOf(replay.url, names[0] ?? ''), await listOf(replay.url, names[1] ?? '')]).toEqual(lists)
        await replay.close()
        expect(await readFile(file, 'utf8')).not.toContain('token-of')
      },
    )
    await fc.assert(property, { numRuns: runs(40) })
  })

  it('continues the existing file, under the configured and the earlier names of callers', async () => {
    const file = join(await openTestFolder(), 'recorded.har')
    const service = await start({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
    const record = async (token: string, callers: Record<string, string>) => {
      const recording = await recordingTo(file, service.url, { callers })
      await listOf(recording.url, token)
      await recording.close()
    }
    await record(tokens[0] ?? '', {})
    await chmod(file, 0o640)
    await record(tokens[1] ?? '', {})
    await record(tokens[0] ?? '', { alice: tokens[0] ?? '' })
    const { log } = JSON.parse(await readFile(file, 'utf8')) as Recording
    const sent = log.entries.map(({ request }) => request.headers.find(({ name }) => name === 'authorization')?.value)
    expect(sent).toEqual(['Bearer caller-1', 'Bearer caller-2', 'Bearer alice'])
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  it('has each exchange as browsers write it, with failures and without a response of the mock itself', async () => {
    const file = join(await openTestFolder(), 'recorded.har')
    const service = await start({})
    const recording = await recordingTo(file, service.url)
    await fetch(`${recording.url}/plants`, post({ id: 1, name: 'Aloe vera', tag: 't' }, { cookie: secret }))
    await fetch(`${recording.url}/plants?limit=x`, as('alice'))
    await service.close()
    await listOf(recording.url, 'alice')
    await recording.close()
    const { log } = JSON.parse(await readFile(file, 'utf8')) as Recording
    expect(log).toMatchObject({ version: '1.2', creator: { name: 'plant-mock' } })
    expect(log.entries).toMatchObject([
      {
        request: { method: 'POST', url: `${service.url}/plants`, postData: { text: expect.stringContaining('Aloe') } },
        response: { status: 201, content: { mimeType: 'application/json', text: '{"name":"Aloe vera","tag":"t"}' } },
      },
      { request: { queryString: [{ name: 'limit', value: 'x' }] }, response: { status: 400 } },
    ])
  })

  it('has what the upstream sent where a strict check refuses it', async () => {
    const file = join(await openTestFolder(), 'recorded.har')
    const { url } = await serve((_, res) => sendJson(res, 200, [{ name: 'Fern', tag: 'fern', id: 7 }]))
    const upstream = { url, for: 'all', record: file, check: 'strict' } as const
    const recording = await startPlantMock({ upstream, grace: 0 })
    expect((await fetch(`${recording.url}/plants`, as('alice'))).status).toBe(502)
    await recording.close()
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      log: { entries: [{ response: { status: 200 } }] },
    })
  })

  it('is refused at the start when its file is not writable or invalid', async () => {
    const { url } = await start({})
    await expect(recordingTo('/nowhere/at/all.har', url)).rejects.toThrow(/^--record cannot write/)
    await expect(recordingTo('x.json', url)).rejects.toThrow('--record writes a .har file, not x.json.')
    const file = join(await openTestFolder(), 'bad.har')
    await writeFile(file, '{"plants":[]}')
    await expect(recordingTo(file, url)).rejects.toThrow(/bad\.har, which is not a HAR file/)
    expect(await readFile(file, 'utf8')).toBe('{"plants":[]}')
  })

  it('reports a failed write and writes at the end', async () => {
    const path = join(await openTestFolder(), 'gone')
    await mkdir(path)
    const notices: string[] = []
    const service = await start({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
    const onNotice = (text: string) => notices.push(text)
    const recording = await recordingTo(join(path, 'recorded.har'), service.url, { onNotice })
    await rm(path, { recursive: true })
    await listOf(recording.url, 'x')
    await expect.poll(() => notices).toEqual([expect.stringContaining('could not be written: ENOENT')])
    await mkdir(path)
    await recording.close()
    expect(await loadFixtures(join(path, 'recorded.har'))).toMatchObject([{ name: 'Aloe vera' }])
  })

  it('holds no token, even if the upstream returns it in a plant', async () => {
    const file = join(await openTestFolder(), 'recorded.har')
    const { url: service } = await serve((req, res) => {
      const plant = { name: `of ${req.headers.authorization}`, tag: secret }
      sendJson(res, 200, req.method === 'POST' ? plant : [plant])
    })
    const recording = await recordingTo(file, service)
    await listOf(recording.url, secret)
    await fetch(`${recording.url}/plants`, post({ id: 1, name: 'a', tag: 't' }, { authorization: `Bearer ${secret}` }))
    await recording.close()
    const plant = { name: 'of Bearer caller-1', tag: 'caller-1', access: ['caller-1'] }
    expect(await loadFixtures(file)).toEqual([plant, { id: 1, ...plant }])
    expect(await readFile(file, 'utf8')).not.toContain(secret)
  })

  it('is a complete file after each exchange', async () => {
    const file = join(await openTestFolder(), 'recorded.har')
    const service = await start({})
    const recording = await recordingTo(file, service.url)
    for (const [index, name] of ['Aloe vera', 'Mint', 'Fern'].entries()) {
      await fetch(`${recording.url}/plants`, post({ id: index, name, tag: 't' }))
      await expect.poll(async () => (await loadFixtures(file)).at(-1)?.name).toBe(name)
    }
    await recording.close()
  })

  it('has no text for a body that could not be decoded', async () => {
    const file = join(await openTestFolder(), 'recorded.har')
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
    const { url: service } = await serve((_, res) => res.writeHead(200, headers).end('zstd'))
    const recording = await recordingTo(file, service)
    await fetch(`${recording.url}/plants`, as('x')).catch(() => undefined)
    await recording.close()
    const { log } = JSON.parse(await readFile(file, 'utf8')) as Recording
    expect(log.entries).toMatchObject([{ response: { content: expect.not.objectContaining({ text: '' }) } }])
  })

  it('accepts only codings that can be decoded', async () => {
    const accepted: unknown[] = []
    const { url: service } = await serve((req, res) => {
      accepted.push(req.headers['accept-encoding'])
      sendJson(res, 200, [])
    })
    const recording = await recordingTo(join(await openTestFolder(), 'recorded.har'), service)
    await fetch(`${recording.url}/plants`, { headers: { ...as('x').headers, 'accept-encoding': 'zstd, br' } })
    await recording.close()
    expect(String(accepted).trim()).toBe('br')
  })
})
