import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { loadFixtures, type StartOptions, startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { openTestFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'
import { as, post } from '../../support/targets.ts'
import { sendJson, useUpstream } from '../../support/upstream.ts'

const { serve, startMock } = useUpstream()

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
        const file = join(path, `${++run}.json`)
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

  it('is merged into the existing file, under the configured names of callers', async () => {
    const file = join(await openTestFolder(), 'recorded.json')
    const before = { id: 5, name: 'Mint', tag: 'herb', access: ['bob'] }
    await writeFile(file, JSON.stringify({ plants: [before] }))
    const service = await startMock({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
    const callers = { alice: tokens[0] ?? '' }
    const recording = await recordingTo(file, service.url, { callers })
    await listOf(recording.url, tokens[0] ?? '')
    await recording.close()
    const recorded = [before, { name: 'Aloe vera', tag: 'succulent', access: ['alice'] }]
    expect((await loadFixtures(file)).toSorted((a, b) => (a.name < b.name ? 1 : -1))).toEqual(recorded)
    const replay = await startMock({ fixtures: [file], callers })
    expect(await listOf(replay.url, tokens[0] ?? '')).toEqual([{ name: 'Aloe vera', tag: 'succulent' }])
    expect(await replay.mock.requests.last()).toMatchObject({ caller: 'alice' })
  })

  it.each([
    ['an array', (plants: unknown) => plants],
    ['an object', (plants: unknown) => ({ plants, $schema: './own.json' })],
  ])('keeps order of members and mode of a file that is %s', async (_, form) => {
    const file = join(await openTestFolder(), 'recorded.json')
    const mint = { access: ['bob'], tag: 'herb', name: 'Mint' }
    await writeFile(file, JSON.stringify(form([mint])), { mode: 0o640 })
    const service = await startMock({ fixtures: [mint].map(({ tag, name }) => ({ tag, name })) })
    const recording = await recordingTo(file, service.url, { callers: { alice: tokens[0] ?? '' } })
    await listOf(recording.url, tokens[0] ?? '')
    await recording.close()
    const written = JSON.stringify(JSON.parse(await readFile(file, 'utf8')))
    expect(written).toBe(JSON.stringify(form([{ ...mint, access: ['alice', 'bob'] }])))
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  it('is refused at the start when its file is not writable or invalid', async () => {
    const { url } = await startMock({})
    await expect(recordingTo('/nowhere/at/all.json', url)).rejects.toThrow(/^--record cannot write/)
    await expect(recordingTo('x.ndjson', url)).rejects.toThrow('--record writes a .json file, not x.ndjson.')
    const file = join(await openTestFolder(), 'bad.json')
    await writeFile(file, '{"plants":[{"name":1}]}')
    await expect(recordingTo(file, url)).rejects.toThrow(/bad\.json/)
    expect(await readFile(file, 'utf8')).toBe('{"plants":[{"name":1}]}')
  })

  it('reports a failed write and writes at the end', async () => {
    const path = join(await openTestFolder(), 'gone')
    await mkdir(path)
    const notices: string[] = []
    const service = await startMock({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
    const onNotice = (text: string) => notices.push(text)
    const recording = await recordingTo(join(path, 'recorded.json'), service.url, { onNotice })
    await rm(path, { recursive: true })
    await listOf(recording.url, 'x')
    await expect.poll(() => notices).toEqual([expect.stringContaining('could not be written: ENOENT')])
    await mkdir(path)
    await recording.close()
    expect(await loadFixtures(join(path, 'recorded.json'))).toMatchObject([{ name: 'Aloe vera' }])
  })

  it('holds no token, even if the upstream returns it in a plant', async () => {
    const file = join(await openTestFolder(), 'recorded.json')
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
  })

  /** The recorded names after a list of these plants, and then another response. */
  const recordedAfter = async (count: number, query: string, status: number, body: unknown) => {
    const file = join(await openTestFolder(), 'recorded.json')
    const plants = Array.from({ length: count }, (_, index) => ({ name: `p${index}`, tag: 't' }))
    const responses = [
      { status: 200, body: plants as unknown },
      { status, body },
    ]
    const { url: service } = await serve((_, res) => {
      const next = responses.shift()
      sendJson(res, next?.status ?? 500, next?.body)
    })
    const recording = await recordingTo(file, service)
    await listOf(recording.url, 'x')
    const response = await fetch(`${recording.url}/plants${query}`, as('x'))
    expect([response.status, await response.json()]).toEqual([status, body])
    await recording.close()
    return (await loadFixtures(file)).map(({ name }) => name).join(' ')
  }
  const first = { name: 'p0', tag: 't' }

  it.each([
    ['', 'p0'],
    ['?limit=2', 'p0'],
    ['?limit=1', 'p0 p1'],
    ['?limit=2&limit=3', 'p0'],
    ['?limit=2&limit=1', 'p0 p1'],
    ['?limit=x1', 'p0'],
    ['?limit=1x', 'p0 p1'],
    ['?limit=1e0', 'p0 p1'],
    ['?limit=-1', 'p0'],
    ['?page=1', 'p0 p1'],
    ['?limit=2&page=1', 'p0 p1'],
  ])('forgets the plants that a whole list lacks; the query is "%s"', async (query, names) => {
    expect(await recordedAfter(2, query, 200, [first])).toBe(names)
  })

  it('forgets no plant for a list of as many plants as its limit', async () => {
    const ten = Array.from({ length: 10 }, (_, index) => ({ name: `p${index}`, tag: 't' }))
    expect(await recordedAfter(11, '?limit=10', 200, ten)).toMatch(/p10$/)
  })

  it.each([
    ['a failure', 404, [first]],
    ['a redirect', 300, [first]],
    ['an object', 200, first],
    ['null', 200, [null]],
    ['a list with one plant that is none', 200, [first, { name: 'p1' }]],
    ['a text', 200, ['p0']],
    ['a name that is no text', 200, [{ name: 1, tag: 't' }]],
    ['a tag that is no text', 200, [{ name: 'p0', tag: 1 }]],
  ])('is not changed by %s', async (_, status, body) => {
    expect(await recordedAfter(2, '', status, body)).toBe('p0 p1')
  })

  it('forgets all plants for an empty list', async () => {
    expect(await recordedAfter(2, '', 200, [])).toBe('')
  })

  it.each<[string, RequestInit, number, unknown]>([
    ['a create without a plant in its response', post({ id: 1, name: 'a', tag: 't' }), 201, {}],
    ['a caller without a token', {}, 200, [first]],
  ])('passes on %s, and holds nothing of it', async (_, init, status, body) => {
    const file = join(await openTestFolder(), 'recorded.json')
    const { url: service } = await serve((_, res) => sendJson(res, status, body))
    const recording = await recordingTo(file, service)
    const response = await fetch(`${recording.url}/plants`, init)
    expect([response.status, await response.json()]).toEqual([status, body])
    await recording.close()
    expect(await loadFixtures(file)).toEqual([])
  })

  it('is written after each change', async () => {
    const file = join(await openTestFolder(), 'recorded.json')
    const service = await startMock({})
    const recording = await recordingTo(file, service.url)
    for (const [index, name] of ['Aloe vera', 'Mint', 'Fern'].entries()) {
      await fetch(`${recording.url}/plants`, post({ id: index, name, tag: 't' }))
      await expect.poll(async () => (await loadFixtures(file)).at(-1)?.name).toBe(name)
    }
    await recording.close()
  })

  it('leaves a plant of every caller to the callers of the file, when one does not list it', async () => {
    const file = join(await openTestFolder(), 'recorded.json')
    const open = { name: 'Mint', tag: 'herb' }
    const plants = [open, { ...open, name: 'Fern', access: ['bob'] }]
    await writeFile(file, JSON.stringify({ plants }))
    const { url: service } = await serve((_, res) => sendJson(res, 200, []))
    const recording = await recordingTo(file, service)
    await listOf(recording.url, 'x')
    await recording.close()
    expect(await loadFixtures(file)).toEqual([{ ...open, access: ['bob'] }, plants[1]])
  })

  it('accepts only codings that can be decoded', async () => {
    const accepted: unknown[] = []
    const { url: service } = await serve((req, res) => {
      accepted.push(req.headers['accept-encoding'])
      sendJson(res, 200, [])
    })
    const recording = await recordingTo(join(await openTestFolder(), 'recorded.json'), service)
    await fetch(`${recording.url}/plants`, { headers: { ...as('x').headers, 'accept-encoding': 'zstd, br' } })
    await recording.close()
    expect(String(accepted).trim()).toBe('br')
  })
})
