/** @import { Answer, Request } from './line.js' */

/** @param {number} below */
const upTo = (below) => Math.floor(Math.random() * below)

/**
 * @template T
 * @param {readonly T[]} list
 * @returns {T}
 */
export const oneOf = (list) => /** @type {T} */ (list[upTo(list.length)])

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
 * @returns {(answer: Answer) => string | undefined}
 */
const has =
  (...statuses) =>
  ({ status }) =>
    statuses.includes(status) ? undefined : `not ${statuses.join(' or ')}`

const oldSessions = Array.from({ length: 20 }, (_, i) => `Plant-Mock-Session: old ${i}`)

/** One header that chooses a caller, and now and then one for a session: old ones again, and new ones. */
const who = () => {
  const caller = `Authorization: Bearer caller-of-the-soak-${upTo(200)}`
  const kind = Math.random()
  if (kind < 0.8) return [caller]
  return [caller, kind < 0.99 ? oneOf(oldSessions) : `Plant-Mock-Session: new ${Math.random()}`]
}

let lastId = 1_000_000

/** How many plants have been asked for; what creates them is to be reset now and then. */
export const created = () => lastId - 1_000_000

/** @returns {Request} */
const list = () => {
  const limit = upTo(30)
  return {
    text: requestText(`GET /plants?limit=${limit}`, who()),
    judge({ status, body }) {
      if (status !== 200) return 'a list is not 200'
      const plants = JSON.parse(body)
      if (!Array.isArray(plants) || plants.length > limit) return `a list of ${limit} is longer`
      const odd = plants.find((plant) => Object.keys(plant).join() !== 'name,tag')
      return odd === undefined ? undefined : 'a plant in a list is not name and tag'
    },
  }
}

/** @returns {Request} */
const create = () => {
  const name = `plant ${++lastId} ${'x'.repeat(upTo(40))}`
  const tag = oneOf(['fern', 'succulent', 'tropical'])
  return {
    text: requestText('POST /plants', who(), JSON.stringify({ id: lastId, name, tag })),
    judge: ({ status, body }) =>
      status === 201 && body === JSON.stringify({ name, tag }) ? undefined : 'a create is not what was sent',
  }
}

const caller = ['Authorization: Bearer alice']
const isDeep = `{"id":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`

/** Requests with a fault in them, and the statuses they must have. A reset may take away what a duplicate repeats. */
const faulty = /** @type {readonly (readonly [text: string, ...statuses: number[]])[]} */ ([
  [requestText('GET /plants'), 401],
  [requestText('GET /plants', ['Authorization: Basic YTpi']), 401],
  [requestText('GET /plants?limit=-1', caller), 400],
  [requestText('GET /plants?limit=1&limit=2', caller), 400],
  [requestText('DELETE /plants', caller), 405],
  [requestText('GET /nowhere', caller), 404],
  [requestText(`GET /${'x'.repeat(10_000)}`, caller), 404],
  [requestText('POST /plants', caller, '{"id":1'), 400],
  [requestText('POST /plants', caller, isDeep), 400],
  [requestText('POST /plants', caller, '{"__proto__":{"id":1},"constructor":1}'), 400],
  [requestText('POST /plants', caller, '{"id":5,"name":"twice","tag":"x"}'), 201, 409],
  [requestText('POST /plants', caller, `"${'x'.repeat(1024 * 1024)}"`), 413],
  [requestText('POST /plants', [...caller, 'Content-Length: 2']).concat('{}'), 415],
  [requestText('GET /plants', ['Plant-Mock-Session: \xE4', ...caller]), 400],
  [requestText('GET /__plant-mock/state', ['Origin: http://evil.example']), 403],
  [requestText('POST /__plant-mock/faults', [], '{"status":1}'), 400],
  [requestText('PATCH /__plant-mock/assumptions', [], '{"create.status":{"toString":1}}'), 400],
])

/** @returns {Request} */
const refused = () => {
  const [text, ...statuses] = oneOf(faulty)
  return { text, judge: has(...statuses) }
}

/** @returns {Request} */
export const anyRequest = () => {
  const kind = Math.random()
  if (kind < 0.6) return list()
  return kind < 0.95 ? create() : refused()
}

/**
 * Takes away all that was created, in the mock's own instance and in the sessions that stay.
 * @type {readonly Request[]}
 */
export const resets = [[], ...oldSessions.map((session) => [session])].map((headers) => ({
  text: requestText('POST /__plant-mock/reset', headers),
  judge: has(204),
}))

const inSession = ['Plant-Mock-Session: controlled']
/** Calls of the control interface in turn, each with the status that it must have. */
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
    [requestText('POST /__plant-mock/reset', inSession), 204],
    [requestText('DELETE /__plant-mock/sessions/controlled'), 204],
  ]).map(([text, status]) => ({ text, judge: has(status) }))
)
