import fc from 'fast-check'
import { type Assume, bearer, createPlantMock } from 'plant-mock'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { baseOf } from '../../../src/core/assumptions/points.ts'
import {
  type AssumptionId,
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
} from '../../../src/core/assumptions/registry.ts'
import { areSameForms } from '../../../src/verify/read/failure-form.ts'
import { readRecording } from '../../../src/verify/sources/recording.ts'
import { createRecorder, type Send, useService } from './recorded-client.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

type RecordingReading = ReturnType<typeof readRecording>

const tokens = ['a-secret-token-0123456789', 'another-secret-token-0123456789']

const mockOf = (assume: Assume, fixtures: readonly object[] = []): Send => {
  const mock = createPlantMock({
    assume,
    fixtures: fixtures as never,
    ...(assume['auth.tokens'] === 'listed' && { tokens }),
  })
  return mock.fetch
}

type Client = ReturnType<typeof clientOf>

const clientOf = (recorder: ReturnType<typeof createRecorder>) => {
  const auth = (token = tokens[0]) => ({ authorization: `Bearer ${token}` })
  return {
    send: recorder.send,
    list: (query = '', token?: string) => recorder.send(`/plants${query}`, { headers: auth(token) }),
    create: (body: unknown, token?: string) =>
      recorder.send('/plants', {
        method: 'POST',
        headers: { ...auth(token), 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

const record = async (service: Send, use: (client: Client) => Promise<unknown>) => {
  const recorder = createRecorder('https://api.example/v1', async (request) => {
    vi.setSystemTime(Date.now() + 10)
    return service(new Request(request.url.replace('/v1', ''), request))
  })
  await use(clientOf(recorder))
  return recorder
}

const readFrom = async (service: Send, use: (client: Client) => Promise<unknown>): Promise<RecordingReading> =>
  readRecording(JSON.parse((await record(service, use)).har()), 'traffic.har')

const plant = (id: number, name = `Plant ${id}`) => ({ name, id, tag: 'a' })

/** Text sends a list with this query; a number, an object, or a pair of body and token sends a create. */
const sends =
  (...steps: readonly (string | number | object)[]) =>
  async ({ list, create }: Pick<Client, 'list' | 'create'>) => {
    for (const step of steps)
      if (typeof step === 'string') await list(step)
      else
        await (Array.isArray(step) ? create(step[0], step[1]) : create(typeof step === 'number' ? plant(step) : step))
  }

const withoutTokens = (har: string): string => har.replaceAll(/\{"name":"authorization","value":"[^"]*"\},?/g, '')

const entryOf = (reading: RecordingReading, id: AssumptionId) => reading.entries.get(id)

const isTrue = (id: AssumptionId, reading: RecordingReading, truth: Assume): boolean => {
  const entry = entryOf(reading, id)
  if (entry === undefined || !('value' in entry)) return true
  const base = baseOf(id, 'same')
  const baseEntry = base && entryOf(reading, base)
  const found = String(entry.value === 'same' && baseEntry && 'value' in baseEntry ? baseEntry.value : entry.value)
  const real = String(truth[id] === 'same' && base ? truth[base] : truth[id])
  const number = Number(/\d+$/.exec(real)?.[0] ?? (real === 'none' ? Number.POSITIVE_INFINITY : 100))
  if (entry.upTo !== undefined) return !real.startsWith('reject') && number >= entry.upTo
  if (id === 'rate.limit' && found === 'none') return number > 20
  return (
    found === real || areSameForms(found, real) || (entry.evidence === 'one caller' && real === `${found}-everywhere`)
  )
}

const randomOf = (numbers: readonly number[]) => {
  let at = 0
  return () => (numbers[at++ % numbers.length] ?? 0) / 1000
}

const assumptions: fc.Arbitrary<Assume> = fc.record(
  Object.fromEntries(assumptionRegistry.map((row) => [row.id, fc.constantFrom(...allValuesOf(row))])),
  { requiredKeys: [] },
)

describe('the values of a recording', () => {
  it('are true, or open, whatever a service assumes and a client sends', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        assumptions,
        fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 97, maxLength: 97 }),
        fc.boolean(),
        fc.constantFrom(5, 40, 40),
        async (assume, numbers, hasPlants, count) => {
          const random = randomOf(numbers)
          const reading = await readFrom(mockOf(assume, hasPlants ? [plant(1), plant(2)] : []), (client) =>
            useService(client, { count, random, tokens }),
          )
          const truth = { ...defaultAssumptions, ...assume }
          const ids = [...reading.entries.keys()]
          for (const entry of reading.entries.values())
            if ('value' in entry) expect(entry.place).toMatch(/entr(?:y|ies) \d/)
          expect(
            ids.filter((id) => !isTrue(id, reading, truth)).map((id) => [id, truth[id], entryOf(reading, id)]),
          ).toEqual([])
          expect(JSON.stringify([...reading.entries, reading.notes])).not.toContain('secret')
          found += ids.filter((id) => 'value' in (entryOf(reading, id) ?? {})).length
        },
      ),
      { numRuns: 10, seed: 1 },
    )
    expect(found / 10).toBeGreaterThan(12)
  })

  it('name the exchanges that tell them from the next best', async () => {
    const reading = await readFrom(mockOf({ 'create.status': 200 }), sends('', 1, 2))
    expect(entryOf(reading, 'create.status')).toEqual({ value: 200, place: 'traffic.har: entries 2, 3' })
    expect(reading).toMatchObject({ kind: 'recording', file: 'traffic.har', alike: { exchanges: 3, alike: 3 } })
  })

  it.each([
    [204, 404],
    [200, 400],
    [204, 204],
  ] as const)('include deletes with %i, and %i for a missing plant', async (deleted, missing) => {
    const service = mockOf({ 'operation.delete': deleted, 'delete.missingStatus': missing }, [plant(9)])
    const reading = await readFrom(service, async ({ send, list, create }) => {
      const remove = (id: number) =>
        send(`/plants/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${tokens[0]}` } })
      for (const id of [1, 2, 3]) await create(plant(id))
      await remove(2)
      await list()
      await remove(2)
      await remove(9)
      await list()
    })
    expect(entryOf(reading, 'operation.delete')).toMatchObject({ value: deleted })
    expect(entryOf(reading, 'delete.missingStatus')).toMatchObject({ value: missing })
    expect(reading.notes.map(({ text }) => text)).toContain(
      '1 exchange left out: deletes of plants that the recording did not create',
    )
  })

  it('are found where the service refuses to delete some plants', async () => {
    const mock = mockOf({ 'operation.delete': 204 })
    const service: Send = async (request) =>
      request.method === 'DELETE' && request.url.endsWith('/2') ? new Response('{}', { status: 403 }) : mock(request)
    const reading = await readFrom(service, async ({ send, list, create }) => {
      for (const id of [1, 2, 3, 4]) await create(plant(id))
      await list()
      for (const id of [2, 3]) await send(`/plants/${id}`, { method: 'DELETE', headers: bearer(tokens[0] as string) })
      await list()
      await list('?limit=1')
    })
    expect(entryOf(reading, 'operation.delete')).toMatchObject({ value: 204 })
    expect(entryOf(reading, 'create.visibility')).toMatchObject({ value: 'immediate' })
  })

  it('are found where a create has an id near that of a plant whose id no exchange shows', async () => {
    const service = mockOf({ 'list.order': 'id' }, [plant(5)])
    const reading = await readFrom(
      service,
      sends(...[7, 9, 1, 9].flatMap((id) => [plant(id, `Created ${id}`), '']), '', 2),
    )
    expect(entryOf(reading, 'list.order')).toMatchObject({ value: 'id' })
    expect(reading.alike).toEqual({ exchanges: 10, alike: 10 })
  })

  it('do not include an order where a limit hides each created plant', async () => {
    const service = mockOf(
      { 'list.order': 'id-descending', 'list.maxLimit': 'clamp:5' },
      [6, 7, 8, 9, 10, 11].map((id) => plant(id)),
    )
    const reading = await readFrom(service, sends(...[2, 1, 3, 4].flatMap((id) => ['', id, '?limit=9'])))
    expect(entryOf(reading, 'list.order')).toHaveProperty('unseen')
  })

  it('do not include an order where pairs of plants change theirs', async () => {
    let lists = 0
    const service = respondWith(
      async (response, { method }) => {
        if (method === 'POST' || ++lists % 4 > 0) return undefined
        return Response.json(((await response.json()) as unknown[]).reverse())
      },
      { 'list.order': 'newest' },
    )
    const reading = await readFrom(service, sends(2, '', 4, '', 1, '', 3, ''))
    expect(entryOf(reading, 'list.order')).toMatchObject({
      unseen: 'newest fits best, but does not explain GET /plants: another order',
    })
  })

  it.each<[string, Assume, readonly object[], unknown]>([
    [
      'open, where a refused id may belong to a plant of the start',
      {},
      [1, 2].map((id) => ({ ...plant(id), access: [tokens[0]] })),
      { unseen: 'conflict and conflict-everywhere fit equally' },
    ],
    [
      'conflict-everywhere, where callers had no plants at the start',
      { 'create.duplicateId': 'conflict-everywhere' },
      [],
      { value: 'conflict-everywhere' },
    ],
  ])('are %s', async (_, assume, fixtures, entry) => {
    const reading = await readFrom(mockOf(assume, fixtures), async ({ list, create }) => {
      for (const token of tokens) await list('', token)
      for (const id of [1, 2])
        for (const token of tokens.toReversed()) await create(plant(id, `${id} of ${token[0]}`), token)
      for (const _ of [1, 2]) await create(plant(9))
      for (const token of tokens) await list('', token)
    })
    expect(entryOf(reading, 'create.duplicateId')).toMatchObject(entry as object)
  })

  it('leave open in a journal what depends on a hidden token, or on requests that it does not have', async () => {
    const mock = createPlantMock({
      assume: { 'auth.malformedStatus': 400, 'auth.scope': 'path', 'rate.limit': 'every:5', 'body.maxSize': 60 },
    })
    await record(mock.fetch, async ({ list, create, send }) => {
      await list()
      await send('/plants', { headers: { authorization: 'Basic dXNlcjpwYXNz' } })
      await send('/plants', { method: 'PUT', headers: { authorization: `Bearer ${tokens[0]}` } })
      await create(plant(1, 'x'.repeat(60)))
      for (let lists = 0; lists < 12; lists++) await list()
    })
    const reading = readRecording({ requests: await mock.requests.all() }, 'journal.json')
    expect(entryOf(reading, 'auth.malformedStatus')).toEqual({ value: 400, place: 'journal.json: request 2' })
    for (const id of ['auth.status', 'auth.scope', 'rate.limit'] as const)
      expect(entryOf(reading, id)).toMatchObject({ unseen: expect.any(String) })
  })

  it('are found in the journal of a mock too, by the ids of its requests', async () => {
    const mock = createPlantMock({ assume: { 'list.order': 'newest' } })
    const { har } = await record(mock.fetch, sends(2, 3, 1, 5, 4, ''))
    const reading = readRecording({ requests: await mock.requests.all() }, 'journal.json')
    expect(entryOf(reading, 'list.order')).toEqual({ value: 'newest', place: 'journal.json: request 6' })
    expect(reading.entries.size).toBe(readRecording(JSON.parse(har()), 'traffic.har').entries.size)
  })

  it.each<[string, AssumptionId, Assume, (client: Client) => Promise<unknown>, unknown]>([
    [
      'two values that fit are open',
      'create.duplicateId',
      { 'create.duplicateId': 'accept' },
      sends(plant(1, 'a'), plant(1, 'b')),
      { unseen: 'accept and replace fit equally', nearest: 'accept' },
    ],
    ['a point without an exchange is open', 'create.unknownFields', {}, sends(''), { unseen: 'no exchange shows it' }],
    [
      'a default limit that may be a maximum of every list is open',
      'list.defaultLimit',
      { 'list.defaultLimit': 2 },
      sends(1, 2, 3, 4, ''),
      { unseen: '2 fits best, but only one list shows it', nearest: 2 },
    ],
    [
      'a default limit is found where a list with a limit shows more',
      'list.defaultLimit',
      { 'list.defaultLimit': 2 },
      sends(1, 2, 3, 4, '', '?limit=4', ''),
      { value: 2, place: 'traffic.har: entries 5, 7' },
    ],
    [
      'a maximum is read in the refusals',
      'list.maxLimit',
      { 'list.maxLimit': 'reject:40' },
      sends('?limit=30', '?limit=90'),
      { value: 'reject:40', place: 'traffic.har: entry 2' },
    ],
    [
      'a maximum of 100 is read in the refusals',
      'list.maxLimit',
      { 'list.maxLimit': 'reject' },
      sends('?limit=30', '?limit=900'),
      { value: 'reject', place: 'traffic.har: entry 2' },
    ],
    [
      'a maximum is open where refusals do not name it',
      'list.maxLimit',
      { 'list.maxLimit': 'reject:40', 'error.limitBody': 'empty' },
      sends('?limit=30', '?limit=90'),
      { unseen: 'reject:30 and reject:89 fit equally', nearest: 'reject:30' },
    ],
    [
      'a maximum is not read in the refusal of a token',
      'list.maxLimit',
      { 'list.maxLimit': 'reject:40', 'error.limitBody': 'empty' },
      async ({ list, send }) => {
        await list('?limit=30')
        await list('?limit=90')
        await send('/plants?limit=10')
      },
      { unseen: 'reject:30 and reject:89 fit equally', nearest: 'reject:30' },
    ],
    [
      'a delay is found by time',
      'create.visibility',
      { 'create.visibility': 'after-ms:35' },
      async ({ list, create }) => {
        await list()
        for (const id of [1, 2]) {
          await create(plant(id))
          for (let lists = id; lists < 6; lists++) await list('', tokens[id % 2])
          await list()
        }
      },
      expect.objectContaining({ value: expect.stringMatching(/^after-ms:3\d$/) }),
    ],
    [
      'a number of lists is found beside lists that a limit has cut',
      'create.visibility',
      { 'create.visibility': 'after-lists:2' },
      async ({ list, create }) => {
        await list()
        for (const id of [1, 2, 3, 4]) {
          await create(plant(id))
          for (let others = 0; others < id * 3; others++) await list('', tokens[1])
          for (const query of ['', '', id === 3 ? '?limit=1' : '', '']) await list(query)
        }
      },
      expect.objectContaining({ value: 'after-lists:2' }),
    ],
    [
      'a delay that one list alone shows is open',
      'create.visibility',
      { 'create.visibility': 'after-lists:2' },
      sends(1, '', '', ''),
      { unseen: 'after-lists:2 and after-ms:25 fit equally', nearest: 'after-lists:2' },
    ],
    [
      'a delay is open where no list shows the plant yet',
      'create.visibility',
      { 'create.visibility': 'after-lists:5' },
      sends(1, '', '', ''),
      { unseen: 'eventual fits best, but too many lists differ for other reasons', nearest: 'eventual' },
    ],
    [
      'a caller whose plant is refused may be known: another caller tells nothing about its token',
      'auth.tokens',
      { 'auth.tokens': 'listed', 'error.syntaxStatus': 422 },
      sends('', ['{', tokens[1]]),
      { unseen: 'no exchange shows it' },
    ],
    [
      'a status that may refuse the token or the plant is about neither',
      'auth.tokens',
      { 'auth.tokens': 'listed' },
      sends('', ['{', tokens[1]]),
      { unseen: 'no exchange shows it' },
    ],
    [
      'an order that few shuffled lists may have by chance is open',
      'list.order',
      { 'list.order': 'newest' },
      sends(2, 1, 3, '', ''),
      { unseen: 'newest and shuffled fit equally', nearest: 'newest' },
    ],
    [
      'a method that is refused without a token is open where no list was refused so',
      'operation.other',
      { 'auth.status': 403, 'auth.scope': 'path' },
      async ({ list, send }) => {
        await list()
        await send('/plants', { method: 'PUT' })
      },
      { unseen: 'no exchange shows it' },
    ],
    [
      'a maximum of bodies is open between the largest accepted and the smallest refused body',
      'body.maxSize',
      { 'body.maxSize': 100 },
      sends(1, plant(2, 'x'.repeat(200))),
      { unseen: '227 and 35 fit equally', nearest: 227 },
    ],
    [
      'a rate is found by its distance',
      'rate.limit',
      { 'rate.limit': 'every:4' },
      sends(...Array(12).fill('')),
      { value: 'every:4', place: 'traffic.har: entries 4, 8, 12' },
    ],
    [
      'one failure says nothing of others',
      'error.invalidStatus',
      {},
      sends('', '?limit=abc'),
      { unseen: 'no exchange shows it' },
    ],
    [
      'an invalid limit is open where a lenient reading of the limit explains the list too',
      'list.invalidLimit',
      { 'list.invalidLimit': 'reject', 'list.limitFormat': 'prefix' },
      sends(1, 2, '', '?limit=5abc'),
      {
        unseen: 'list.invalidLimit=ignore and list.invalidLimit=reject with list.limitFormat=prefix fit equally',
        nearest: 'ignore',
      },
    ],
    [
      'a failure has its own value where others were not seen',
      'error.limitStatus',
      { 'error.invalidStatus': 422 },
      sends('', '?limit=abc'),
      { value: 422, place: 'traffic.har: entry 2' },
    ],
    [
      'a failure that is like others is the same',
      'error.limitStatus',
      { 'error.invalidStatus': 422 },
      sends('?limit=abc', { ...plant(1), name: 7 }),
      { value: 'same', place: 'traffic.har: entry 1' },
    ],
  ])('%s', async (_, id, assume, use, expected) => {
    expect(entryOf(await readFrom(mockOf(assume), use), id)).toEqual(expected)
  })
})

const respondWith = (
  change: (response: Response, request: Request) => Promise<Response | undefined>,
  assume: Assume = {},
): Send => {
  const mock = mockOf(assume)
  return async (request) => {
    const response = await mock(request.clone())
    return (await change(response.clone(), request)) ?? response
  }
}

const json = { 'content-type': 'application/json' }

describe('a service that does something else', () => {
  it('has no value, and the status with its place', async () => {
    const service = respondWith(async ({ status }) =>
      status === 201 ? new Response(null, { status: 204 }) : undefined,
    )
    const reading = await readFrom(service, sends(1, 2))
    expect(entryOf(reading, 'create.status')).toEqual({
      other: 'POST /plants: 204, not 201',
      nearest: 201,
      place: 'traffic.har: entries 1, 2',
    })
  })

  it('has no value where exchanges disagree, and the nearest one', async () => {
    const service = respondWith(async (response, { url }) =>
      url.endsWith('=-1') ? new Response(await response.text(), { status: 422, headers: response.headers }) : undefined,
    )
    const reading = await readFrom(service, sends('?limit=abc', '?limit=x', '?limit=-1'))
    expect(entryOf(reading, 'error.limitStatus')).toEqual({
      other: 'GET /plants?limit=-1: 422, not 400',
      nearest: 400,
      place: 'traffic.har: entry 3',
    })
  })

  it('has values beside the rules that it breaks, and the rules with their sections', async () => {
    const service = respondWith(
      async (response, { method }) => {
        const body: unknown = await response.json()
        const withId = (one: object) => ({ id: 1, ...one })
        if (!response.ok) return undefined
        return Response.json(method === 'GET' ? (body as object[]).map(withId) : withId(body as object), {
          status: response.status,
        })
      },
      { 'list.order': 'newest' },
    )
    const reading = await readFrom(
      service,
      sends(plant(5, 'b'), plant(3, 'c'), plant(4, 'a'), plant(2, 'e'), plant(6, 'd'), ''),
    )
    expect(entryOf(reading, 'list.order')).toEqual({ value: 'newest', place: 'traffic.har: entry 6' })
    expect(reading.notes).toEqual([
      expect.objectContaining({ kind: 'contradicts', section: '2.1, 4.1', place: 'traffic.har: entry 1' }),
      expect.objectContaining({ kind: 'contradicts', section: '2.2, 4.2', place: 'traffic.har: entry 6' }),
    ])
    expect(reading.alike).toEqual({ exchanges: 6, alike: 0 })
  })

  it('shows nothing about tokens where it requires a limit, nor a maximum in a body that it refused otherwise', async () => {
    const service = respondWith(async (response, { method, url, headers }) => {
      if (method === 'GET' && !url.includes('limit')) return new Response('No limit', { status: 400 })
      const isLarge = method === 'POST' && headers.get('content-length') === '500'
      return isLarge ? new Response('Too large', { status: 413 }) : response
    })
    const reading = await readFrom(service, async ({ list, create, send }) => {
      await list('?limit=5')
      for (const _ of [1, 2]) await list('', tokens[1])
      await create(plant(1, 'x'.repeat(400)))
      const headers = {
        authorization: `Bearer ${tokens[0]}`,
        'content-type': 'application/json',
        'content-length': '500',
      }
      await send('/plants', { method: 'POST', headers, body: JSON.stringify(plant(2, 'x'.repeat(470))) })
    })
    for (const id of ['auth.tokens', 'auth.unknownStatus', 'body.maxSize'] as const)
      expect(entryOf(reading, id)).toMatchObject({ unseen: expect.any(String) })
  })

  it('is nothing else where only the listed plants differ', async () => {
    const service = mockOf(
      {
        ...{ 'create.visibility': 'eventual', 'list.maxLimit': 'clamp:3', 'list.order': 'newest' },
        ...{ 'list.repeatedLimit': 'ignore', 'json.keyOrder': 'name-tag' },
      },
      Array.from({ length: 15 }, (_, i) => plant(100 + i)),
    )
    const reading = await readFrom(service, sends(5, '?limit=2&limit=4', '?limit=12'))
    expect([...reading.entries].filter(([, entry]) => 'other' in entry)).toEqual([])
  })

  it.each(['[]', '["Fern"]', '"Fern"', '7', 'null'])(
    'has no value from a create of %s, which is no object',
    async (body) => {
      for (const status of [201, 422, 500]) {
        const service = respondWith(async (_, request) =>
          (await request.text()) === body ? Response.json({ name: 'Fern', tag: 'a' }, { status }) : undefined,
        )
        const reading = await readFrom(service, async ({ list, create }) => {
          for (const id of [1, 2]) await create(plant(id))
          for (const _ of [1, 2]) await create(body)
          await list()
        })
        expect(entryOf(reading, 'create.status')).toMatchObject({ value: 201 })
        for (const id of ['error.invalidStatus', 'error.syntaxStatus', 'error.body', 'create.required'] as const)
          expect(entryOf(reading, id)).toEqual({ unseen: 'no exchange shows it' })
      }
    },
  )

  it.each<[string, object]>([
    ['the id 1.5', { id: 1.5 }],
    ['the id "7"', { id: '7' }],
    ['a name that is no text', { name: 7 }],
    ['an id beyond 64 bits', { id: 2 ** 80 }],
  ])('has a note for an accepted plant with %s, and no value from it', async (_, fields) => {
    const sent = JSON.stringify({ ...plant(3), ...fields })
    const service = respondWith(async (_, request) =>
      (await request.text()) === sent ? Response.json({ name: 'Fern', tag: 'a' }, { status: 201 }) : undefined,
    )
    const reading = await readFrom(service, async ({ list, create }) => {
      for (const id of [1, 2]) await create(plant(id))
      for (const _ of [1, 2, 3]) await create(sent)
      await create(plant(1))
      await list()
    })
    expect(entryOf(reading, 'create.duplicateId')).toMatchObject({ value: 'conflict' })
    expect(reading.notes).toContainEqual({
      kind: 'unsupported',
      place: 'traffic.har: entries 3, 4, 5',
      text: expect.stringContaining('plant.meaning: POST'),
    })
    expect(entryOf(reading, 'create.status')).toMatchObject({ value: 201 })
    for (const id of ['error.invalidStatus', 'create.idRange', 'create.required', 'create.missingTag'] as const)
      expect(entryOf(reading, id)).not.toHaveProperty('value')
  })

  it.each([
    [2 ** 40, 'unseen'],
    [2 ** 31, 'value'],
  ])('has create.idRange=int32 only from an id near its bounds: %d is %s', async (id, member) => {
    const reading = await readFrom(mockOf({ 'create.idRange': 'int32' }), sends(1, id, id + 1))
    expect(entryOf(reading, 'create.idRange')).toHaveProperty(member)
  })

  it('has no value for a taken id where the name may be the reason', async () => {
    const service = respondWith(
      async (response, request) =>
        (await request.text()).includes('"name":""')
          ? new Response('{"error":"name"}', { status: 422, headers: json })
          : response,
      { 'create.duplicateId': 'accept' },
    )
    const reading = await readFrom(service, sends(plant(1, 'Fern'), plant(1, ''), ''))
    for (const id of ['create.duplicateId', 'create.duplicateStatus'] as const)
      expect(entryOf(reading, id)).toHaveProperty('unseen')
  })

  it('has values beside lists that show more than their limit', async () => {
    const mock = mockOf({ 'create.duplicateId': 'accept' })
    const service: Send = async (request) => mock(new Request(request.url.replace('limit=0', ''), request))
    const reading = await readFrom(service, sends(plant(1, 'a'), plant(1, 'b'), '', ...Array(4).fill('?limit=0')))
    expect(entryOf(reading, 'create.duplicateId')).toMatchObject({ value: 'accept' })
  })

  it('has the value text where its failures are plain text in its own words', async () => {
    const service = respondWith(async ({ ok, status }, { url }) =>
      ok ? undefined : new Response(`Sorry: ${url.slice(-3)}`, { status }),
    )
    const reading = await readFrom(service, sends('', '?limit=abc', '?limit=x', '?limit=-1'))
    expect(entryOf(reading, 'error.limitBody')).toMatchObject({ value: 'text' })
  })

  it('has a note for a refusal that no value explains', async () => {
    const refusal = () => new Response('{"error":"name is too long"}', { status: 400, headers: json })
    const service: Send = async (request) =>
      request.method === 'POST' && (await request.clone().text()).length > 60 ? refusal() : mock(request)
    const mock = mockOf({})
    const reading = await readFrom(service, sends(plant(1, 'x'.repeat(60)), 2, ''))
    expect(reading.notes).toEqual([
      {
        kind: 'unsupported',
        place: 'traffic.har: entry 1',
        text: expect.stringContaining('plant.meaning: POST /plants'),
      },
    ])
  })
})

describe('exchanges that show something else than the service', () => {
  const ordinary = ['', 3, '', 1, '', 2, '']

  it('of a long recording, the first are read', async () => {
    const reading = await readFrom(mockOf({}), sends(...Array(503).fill('')))
    expect(reading.notes).toEqual([])
    expect(reading.alike).toEqual({ exchanges: 503, alike: 503, valuesFrom: 500 })
  })

  it('failures of the service and expired tokens do not count', async () => {
    let requests = 0
    const service = respondWith(async () => {
      const status = [503, 401][requests++ % 4]
      return status === undefined ? undefined : new Response(null, { status })
    })
    const reading = await readFrom(service, sends(...Array(8).fill('')))
    expect(entryOf(reading, 'auth.tokens')).toEqual({ unseen: 'no exchange shows it' })
    expect(entryOf(reading, 'list.status')).toMatchObject({ value: 200 })
  })

  it('plants that others add and remove count once', async () => {
    const mock = createPlantMock({ assume: { 'list.order': 'newest' } })
    const reading = await readFrom(mock.fetch, async (client) => {
      await sends(...ordinary)(client)
      await mock.seed([{ name: 'Foreign', tag: 'b', access: [tokens[0] as string] }])
      await sends('', '', '', 9, '')(client)
    })
    expect(entryOf(reading, 'list.order')).toMatchObject({ value: 'newest' })
    expect(entryOf(reading, 'create.visibility')).toMatchObject({ value: 'immediate' })
    expect(reading.alike.exchanges - reading.alike.alike).toBeLessThan(3)
  })

  it('several callers without Authorization leave open what depends on plants', async () => {
    const { har } = await record(mockOf({ 'error.limitBody': '{"reason":"{detail}"}' }), async ({ list, create }) => {
      for (const limit of ['x', '-1']) await list(`?limit=${limit}`)
      for (let i = 0; i < 3; i++)
        for (const token of tokens) {
          await create(plant(i, `${token.slice(0, 9)} ${i}`), token)
          await list('', tokens[(i + 1) % 2])
          await list('', token)
        }
    })
    const reading = readRecording(JSON.parse(withoutTokens(har())), 'traffic.har')
    for (const id of ['create.visibility', 'list.order', 'auth.status', 'auth.tokens', 'error.limitBody'] as const)
      expect(entryOf(reading, id)).toHaveProperty('unseen')
    expect(entryOf(reading, 'create.status')).toMatchObject({ value: 201 })
    // Without Authorization, plants with equal ids may belong to two callers.
    expect(entryOf(reading, 'create.duplicateId')).not.toHaveProperty('value')
    expect(reading.notes[0]?.text).toContain('Authorization was removed')
  })

  it('a maximum is found without Authorization too', async () => {
    const { har } = await record(mockOf({ 'list.maxLimit': 'reject:40' }), sends('?limit=30', '?limit=90'))
    const reading = readRecording(JSON.parse(withoutTokens(har())), 'traffic.har')
    expect(entryOf(reading, 'list.maxLimit')).toMatchObject({ value: 'reject:40' })
  })

  it('a point is open where values fit equally; the mock takes one of them if the default does not fit', async () => {
    const truth = { 'create.required': 'name+id', 'create.missingTag': 'omit' } as const
    const reading = await readFrom(mockOf(truth), sends({ id: 1, name: 'Plant 1' }, 2, { id: 3, name: 'Plant 3' }, ''))
    expect(entryOf(reading, 'create.required')).toMatchObject({
      unseen: expect.stringContaining(' fit equally'),
      nearest: expect.stringContaining('name'),
    })
    expect(entryOf(reading, 'list.invalidLimit')).toEqual({ unseen: 'no exchange shows it' })
    expect(reading.alike).toEqual({ exchanges: 4, alike: 4 })
  })

  it.each(['absent', 'null'] as const)('the tag null is taken as %s', async (nullTag) => {
    const truth = { 'create.required': 'name+id', 'create.missingTag': 'omit', 'create.nullTag': nullTag } as const
    const reading = await readFrom(mockOf(truth), sends({ id: 1, name: 'a' }, { ...plant(2), tag: null }, 3, ''))
    expect(entryOf(reading, 'create.nullTag')).toMatchObject({ value: nullTag })
    expect(reading.alike).toEqual({ exchanges: 4, alike: 4 })
  })

  it('a list that was sent during a create shows nothing about its visibility', async () => {
    const { entries, har } = await record(mockOf({}), sends(...ordinary))
    const [list, create] = entries as unknown as { startedDateTime: string; time: number }[]
    if (list === undefined || create === undefined) throw new Error('nothing was recorded')
    create.time = 6
    entries.splice(2, 0, { ...list, startedDateTime: new Date(Date.parse(create.startedDateTime) + 2).toISOString() })
    const reading = readRecording(JSON.parse(har()), 'traffic.har')
    expect(entryOf(reading, 'create.visibility')).toMatchObject({ value: 'immediate' })
  })

  it('a delay is open if one list alone shows it, and another list was sent during the create', async () => {
    const { entries, har } = await record(mockOf({ 'create.visibility': 'eventual' }), sends('', 1, '', ''))
    const [list, create] = entries as unknown as { startedDateTime: string; time: number }[]
    if (list === undefined || create === undefined) throw new Error('nothing was recorded')
    create.time = 6
    entries.splice(2, 0, { ...list, startedDateTime: new Date(Date.parse(create.startedDateTime) + 2).toISOString() })
    const reading = readRecording(JSON.parse(har()), 'traffic.har')
    expect(entryOf(reading, 'create.visibility')).toMatchObject({ unseen: expect.any(String) })
  })
})
