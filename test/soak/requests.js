/** @import { Request, Response } from './pipeline.js' */

/** @param {number} below */
const randomBelow = (below) => Math.floor(Math.random() * below)

/**
 * @template T
 * @param {readonly T[]} list
 * @returns {T}
 */
export const randomElement = (list) => /** @type {T} */ (list[randomBelow(list.length)])

/**
 * @param {string} line Method and target.
 * @param {readonly string[]} [headers]
 * @param {string} [body]
 */
export const requestText = (line, headers = [], body = '') =>
  `${[
    `${line} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ].join('\r\n')}\r\n\r\n${body}`

/**
 * @param {readonly number[]} statuses
 * @returns {(response: Response) => string | undefined}
 */
const expectStatus =
  (...statuses) =>
  ({ status }) =>
    statuses.includes(status) ? undefined : `expected ${statuses.join(' or ')}`

const lastingSessions = Array.from({ length: 20 }, (_, i) => `Plant-Mock-Session: lasting ${i}`)

/** A header for one of 200 callers, and in one of five requests one for a session: an existing one, or rarely a new one. */
const callerHeaders = () => {
  const caller = `Authorization: Bearer caller-of-the-soak-${randomBelow(200)}`
  const kind = Math.random()
  if (kind < 0.8) return [caller]
  return [caller, kind < 0.99 ? randomElement(lastingSessions) : `Plant-Mock-Session: new ${Math.random()}`]
}

let lastId = 1_000_000

/** How many creates were generated so far. */
export const createdCount = () => lastId - 1_000_000

/** @returns {Request} */
const list = () => {
  const limit = randomBelow(30)
  return {
    text: requestText(`GET /plants?limit=${limit}`, callerHeaders()),
    check({ status, body }) {
      if (status !== 200) return 'a list has another status than 200'
      const plants = JSON.parse(body)
      if (!Array.isArray(plants) || plants.length > limit) return `a list is longer than its limit ${limit}`
      const invalid = plants.find((plant) => Object.keys(plant).join() !== 'name,tag')
      return invalid === undefined ? undefined : 'a listed plant has other fields than name and tag'
    },
  }
}

/** @returns {Request} */
const create = () => {
  const name = `plant ${++lastId} ${'x'.repeat(randomBelow(40))}`
  const tag = randomElement(['fern', 'succulent', 'tropical'])
  return {
    text: requestText('POST /plants', callerHeaders(), JSON.stringify({ id: lastId, name, tag })),
    check: ({ status, body }) =>
      status === 201 && body === JSON.stringify({ name, tag })
        ? undefined
        : 'a create returns another plant than it was sent',
  }
}

const caller = ['Authorization: Bearer alice']
const deepJson = `{"password":"hunter2hunter2hunter2","id":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`

/** Invalid requests with their expected statuses. A reset may remove the plant that a duplicate repeats. */
const invalidRequests = /** @type {readonly (readonly [text: string, ...statuses: number[]])[]} */ ([
  [requestText('GET /plants'), 401],
  [requestText('GET /plants', ['Authorization: Basic YTpi']), 401],
  [requestText('GET /plants?limit=-1', caller), 400],
  [requestText('GET /plants?limit=1&limit=2', caller), 400],
  [requestText('DELETE /plants', caller), 405],
  [requestText('GET /nowhere', caller), 404],
  [requestText(`GET /${'x'.repeat(10_000)}`, caller), 404],
  [requestText('POST /plants', caller, '{"id":1'), 400],
  [requestText('POST /plants', caller, deepJson), 400],
  [requestText('POST /plants', caller, '{"__proto__":{"id":1},"constructor":1}'), 400],
  [requestText('POST /plants', caller, '{"id":5,"name":"twice","tag":"x"}'), 201, 409],
  [requestText('POST /plants', caller, `"${'x'.repeat(1024 * 1024)}"`), 413],
  [requestText('POST /plants', [...caller, 'Content-Length: 2']).concat('{}'), 415],
  [requestText('POST /plants', [...caller, `Content-Encoding: ${Array(2_500).fill('gzip')}`], '{}'), 415],
  [requestText(`GET /plants?${'access_token=0123456789abcdef&'.repeat(300)}`, caller), 200],
  [requestText('GET /plants', ['Plant-Mock-Session: \xE4', ...caller]), 400],
  [requestText('GET /__plant-mock/state', ['Origin: http://evil.example']), 403],
  [requestText('POST /__plant-mock/faults', [], '{"status":1}'), 400],
  [requestText('PATCH /__plant-mock/assumptions', [], '{"create.status":{"toString":1}}'), 400],
])

/** @returns {Request} */
const invalid = () => {
  const [text, ...statuses] = randomElement(invalidRequests)
  return { text, check: expectStatus(...statuses) }
}

/** @returns {Request} */
export const randomRequest = () => {
  const kind = Math.random()
  if (kind < 0.6) return list()
  return kind < 0.95 ? create() : invalid()
}

/**
 * Requests that remove all created plants, from the default instance and from the lasting sessions.
 * @type {readonly Request[]}
 */
export const resets = [[], ...lastingSessions.map((session) => [session])].map((headers) => ({
  text: requestText('POST /__plant-mock/reset', headers),
  check: expectStatus(204),
}))

const inSession = ['Plant-Mock-Session: controlled']
const secret = 'secret-of-the-soak/0123456789'
const secretCaller = [`Authorization: Bearer ${secret}`, ...inSession]
/** A query with thousands of violations, which repeats the token of its caller. */
const longQuery = `${encodeURIComponent(secret)}&${Array.from({ length: 4_000 }, (_, i) => i.toString(36)).join('&')}`
const secretPlant = JSON.stringify({ id: 900_900, name: `x${secret}.json`, tag: 'QUJD'.repeat(2_500) }).replace(
  secret,
  secret.replace('/', '\\u002f'),
)

/**
 * Checks that a response of the control interface shows no token, and not too much.
 * @type {(response: Response) => string | undefined}
 */
const isDiscreet = ({ status, body }) => {
  if (status !== 200) return 'expected 200'
  if (/secret-of-the-soak/.test(body)) return 'a token is visible'
  return body.length < 1_000_000 ? undefined : `a response has ${body.length} characters`
}

/** Calls of the control interface in sequence, each with its expected status. */
export const controlCalls = /** @type {readonly Request[]} */ (
  /** @type {const} */ ([
    [requestText('GET /__plant-mock/state'), 200],
    [requestText('GET /__plant-mock/requests?status=400'), 200],
    [requestText('POST /__plant-mock/requests/count', [], '{"caller":"alice"}'), 200],
    [requestText('GET /__plant-mock/assumptions'), 200],
    [requestText('GET /__plant-mock/openapi.json'), 200],
    [requestText('PUT /__plant-mock/snapshots/one', inSession), 200],
    [requestText('POST /__plant-mock/snapshots', inSession), 200],
    [requestText('PATCH /__plant-mock/assumptions', inSession, '{"create.status":200}'), 204],
    [requestText('POST /__plant-mock/faults', inSession, '{"status":503,"times":1,"body":{"a":1}}'), 200],
    [requestText('GET /plants', [...caller, ...inSession]), 503],
    [requestText('POST /__plant-mock/faults', inSession, '{"delay":5,"malformed":true,"times":1}'), 200],
    [requestText('GET /plants', [...caller, ...inSession]), 200],
    [requestText('POST /__plant-mock/snapshots/one/restore', inSession), 204],
    [requestText('PUT /__plant-mock/fixtures/crowded', inSession), 204],
    [requestText('GET /plants', [...caller, ...inSession]), 200],
    [requestText(`GET /plants?${longQuery}`, secretCaller), 200],
    [requestText('POST /plants', secretCaller, secretPlant), 201],
    [requestText('GET /__plant-mock/requests', inSession), isDiscreet],
    [requestText('GET /__plant-mock/violations', inSession), isDiscreet],
    [requestText('POST /__plant-mock/reset', inSession), 204],
    [requestText('DELETE /__plant-mock/sessions/controlled'), 204],
  ]).map(([text, expected]) => ({ text, check: typeof expected === 'number' ? expectStatus(expected) : expected }))
)
