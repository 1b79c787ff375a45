import { type FetchLike, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { assumptionOf, checkSmall as check, failuresOf, recording, ruleOf, tokens } from '../support/conformance.ts'
import { once } from '../support/once.ts'
import { quirkyService } from '../support/quirky-service.ts'
import { wrongService } from '../support/wrong-service.ts'

const isPost = (init: RequestInit) => init.method === 'POST'

describe('a failure that happens once', () => {
  it.each([401, 403, 500])('decides no limit (%i)', async (status) => {
    const isLarge = (url: string) => url.endsWith('limit=10000')
    const report = await check(once(wrongService(), isLarge, () => new Response('', { status })))
    expect(assumptionOf(report, 'list.maxLimit')).toMatchObject({ outcome: 'agrees', found: 'none' })
  })

  it.each([401, 403, 500])('breaks no rule about creates (%i)', async (status) => {
    const isInvalid = (_: string, init: RequestInit) =>
      isPost(init) && new TextDecoder().decode(init.body as Uint8Array).includes('"three"')
    const report = await check(once(wrongService(), isInvalid, () => new Response('', { status })))
    expect(failuresOf(report)).toEqual([])
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({ outcome: 'passed' })
  })

  it('is not that of the token if the list that tells so fails once, too', async () => {
    let failures = 0
    const service = wrongService()
    const report = await check(async (url, init) => {
      const isFailing = url.endsWith('limit=abc') ? failures === 0 : failures === 1
      if (!isFailing) return service(url, init)
      failures++
      return new Response('', { status: 403 })
    })
    expect(report.incomplete).toBeUndefined()
  })
})

describe('a service that fails before any list succeeded', () => {
  it('is unreachable if it asks for patience again and again', async () => {
    const busy = () => new Response('', { status: 429, headers: { 'retry-after': '0' } })
    await expect(check(async () => busy())).rejects.toThrow(
      'http://plants.example cannot be reached: the response is still 429 after 3 retries.',
    )
  })

  it('is left alone after three requests in a row without a usable response', async () => {
    const service = quirkyService({ listStatus: () => 404 })
    const fetch = recording((url, init) =>
      fetch.sent.length > 20 ? Promise.reject(new TypeError('fetch failed')) : service(url, init),
    )
    const report = await check(fetch)
    expect(report.incomplete).toBe('3 requests in a row got no usable response')
    expect(fetch.sent).toHaveLength(23)
  })
})

describe('the token of the other caller', () => {
  it.each([401, 403])('may expire during the check, which says so (%i)', async (status) => {
    const service = wrongService()
    let requests = 0
    const report = await check(async (url, init) => {
      const isOther = new Headers(init.headers).get('authorization') === `Bearer ${tokens.other}`
      return isOther && requests++ > 0 ? new Response('', { status }) : service(url, init)
    })
    expect(report.incomplete).toBe(`the token of the other caller is no longer accepted (${status})`)
    expect(failuresOf(report)).toEqual([])
  })
})

describe('a success with the body of an error', () => {
  const found = async (body: object) => {
    const service = wrongService()
    const report = await check(async (url, init) =>
      url.endsWith('limit=abc') ? Response.json(body) : service(url, init),
    )
    return assumptionOf(report, 'list.invalidLimit')
  }

  it.each([{ error: 'no number' }, { valid: false }, { identity: 'alice' }, { tags: 'none' }])(
    'shows nothing where valid requests succeed with arrays: %j',
    async (body) => {
      const reason = 'it responds with 200 to errors too'
      expect(await found(body)).toMatchObject({ outcome: 'unseen', reason })
    },
  )

  it('shows nothing where valid creates return plants', async () => {
    const failure = (status: number, message: string) =>
      Response.json({ message }, { status: status === 400 ? 200 : status })
    const report = await check(quirkyService({ failure }))
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('it responds with 200 to what seems to be an error'),
    })
  })

  it('is an answer like any other where creates return no plant', async () => {
    const report = await check(quirkyService({ createBody: () => ({ done: true }) }))
    expect(ruleOf(report, 'create.shape')).toMatchObject({
      outcome: 'failed',
      reason: 'name is required: {"done":true}',
    })
    expect(ruleOf(report, 'create.succeeds')).toMatchObject({ outcome: 'passed' })
  })

  it.each([{}, { items: [] }, { items: [], next: null }, { name: 'oak' }])('is no error if it is %j', async (body) => {
    expect(await found(body)).toMatchObject({
      outcome: 'other',
      found: expect.stringContaining('GET /plants?limit=abc: 200 without a list'),
    })
  })
})

describe('a response that is about the service', () => {
  it.each([401, 503])('shows nothing about the request (%i)', async (status) => {
    const service = wrongService()
    const report = await check(async (url, init) =>
      init.method === 'PROPFIND' ? new Response('', { status, headers: { 'retry-after': '0' } }) : service(url, init),
    )
    expect(assumptionOf(report, 'operation.other')).toMatchObject({
      outcome: 'unseen',
      reason: `it responds with ${status}`,
    })
  })
})

const mebibyte = new Uint8Array(1024 * 1024).fill(32)
const tooLarge = () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(mebibyte) }))

describe('robust.input', () => {
  const checkInput = (fetch: FetchLike) => check(fetch, { rules: ['robust.input'] })

  it('is skipped if a response is larger than the check reads', async () => {
    const service = wrongService()
    const report = await checkInput(async (url, init) => (url.endsWith('limit=abc') ? tooLarge() : service(url, init)))
    expect(ruleOf(report, 'robust.input')).toMatchObject({
      outcome: 'skipped',
      reason: 'a limit in words: the response is larger than 8 MiB',
    })
  })

  it('is skipped so for each input, and the check goes on', async () => {
    const service = wrongService()
    const report = await checkInput(async (url, init) =>
      /limit=(?:abc|-1|9{23})$/.test(url) ? tooLarge() : service(url, init),
    )
    expect(ruleOf(report, 'robust.input')).toMatchObject({ outcome: 'skipped' })
    expect(report.incomplete).toBeUndefined()
  })

  it('is skipped if the list that confirms a failure is larger than the check reads', async () => {
    const service = wrongService()
    let hasFailed = false
    const report = await checkInput(async (url, init) => {
      if (hasFailed) return tooLarge()
      hasFailed = url.endsWith('limit=abc')
      return hasFailed ? new Response('', { status: 500 }) : service(url, init)
    })
    expect(report.incomplete).toBe('the service responds with 500, even to a list request that succeeded before')
  })

  it('is skipped if the service fails from some request on, although a list succeeded in between', async () => {
    const service = wrongService()
    let failures = 0
    const report = await checkInput(async (url, init) => {
      if (failures < 2 && !url.endsWith('limit=abc')) return service(url, init)
      failures++
      return new Response('', { status: 500 })
    })
    expect(ruleOf(report, 'robust.input')).toMatchObject({
      outcome: 'skipped',
      reason: 'the service responds with 500, even to a list request that succeeded before',
    })
  })

  it('is broken by an input to which there is no response', async () => {
    const service = wrongService()
    const report = await checkInput(async (url, init) => {
      if (url.endsWith('limit=abc')) throw new TypeError('fetch failed')
      return service(url, init)
    })
    expect(ruleOf(report, 'robust.input')).toMatchObject({
      outcome: 'advised',
      reason: expect.stringMatching(/^a limit in words: /),
    })
  })

  it('is broken by a later input, even if a gateway does not respond to an earlier one', async () => {
    const service = wrongService(['an enormous limit causes 500'])
    const report = await checkInput(async (url, init) =>
      url.endsWith('limit=abc') ? new Response('', { status: 504 }) : service(url, init),
    )
    expect(ruleOf(report, 'robust.input')).toMatchObject({
      outcome: 'advised',
      reason: expect.stringContaining('a limit beyond 64 bits'),
    })
  })
})

describe('creates whose response is lost', () => {
  it('count towards the maximum, and are reported as not certain', async () => {
    const service = quirkyService({ duplicates: 'accept' })
    let creates = 0
    const report = await check(async (url, init) => {
      const response = await service(url, init)
      const isLost = isPost(init) && response.ok && creates++ % 2 === 0
      return isLost ? new Response('', { status: 504, headers: { 'retry-after': '0' } }) : response
    })
    const lost = report.plants.filter(({ certain }) => !certain)
    expect(report.plants).toHaveLength(service.kept.length)
    expect(lost).toHaveLength(report.plants.length - report.created)
    expect(renderConformance(report)).toContain('May have created {"id":')
  })

  it('are not sent beyond the maximum if all of them are lost', async () => {
    const fetch = recording(async (_, init) => (isPost(init) ? new Response('', { status: 500 }) : Response.json([])))
    const report = await check(fetch)
    const posts = fetch.sent.filter(({ method }) => method === 'POST').length
    expect(posts).toBeLessThanOrEqual(125)
    expect(report.created).toBe(0)
  })
})

describe('a curl line', () => {
  it('names the given headers without their values, which may be secrets', async () => {
    const headers = { 'X-Api-Key': 'k-12345', 'Content-Type': 'text/plain' }
    const report = await check(wrongService(['limit is ignored', 'a create returns the id']), { headers })
    const [limit, create] = failuresOf(report).map(({ curl }) => curl)
    expect(limit).toContain(`-H 'content-type: …' -H 'x-api-key: …'`)
    expect(create).toContain(`-H 'x-api-key: …' -H 'content-type: application/json'`)
    expect(JSON.stringify(report)).not.toContain('k-12345')
  })
})

it('suggests other plants and ids where every plant is refused', async () => {
  const { incomplete } = await check(quirkyService({ isValid: () => false }))
  expect(incomplete).toBe(
    'every plant with "plant-mock check" in name or tag is refused (400); give another plant with --plant, optionally with a first id',
  )
})

it('a service that names members after the token gets no token into the report', async () => {
  const service = wrongService()
  const report = await check(async (url, init) => {
    const response = await service(url, init)
    const json: unknown = response.ok ? await response.clone().json() : undefined
    const echo = { [`Bearer ${tokens.caller}`]: 1 }
    const shown = Array.isArray(json)
      ? json.map((plant: object) => ({ ...plant, ...echo }))
      : { ...Object(json), ...echo }
    return json === undefined ? response : Response.json(shown, { status: response.status })
  })
  expect(failuresOf(report).map(({ id }) => id)).toEqual(['list.elements', 'create.shape'])
  expect(JSON.stringify(report)).not.toContain(tokens.caller)
})
