import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Assume, assumptionRegistry, type FixturePlant } from 'plant-mock'
import {
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
  type FetchLike,
} from 'plant-mock/conformance'
import { loadFixtures } from 'plant-mock/node'

/** One token is a prefix of the other: redacting the shorter token first would show the rest of the longer token. */
export const tokens = { caller: 'token-of-alice', other: 'token-of-alice-other' }
export const baseUrl = 'http://plants.example'

export const fixtures: Readonly<Record<string, readonly FixturePlant[]>> = {
  empty: [],
  garden: await loadFixtures('garden'),
  crowded: await loadFixtures('crowded'),
}

/** A check creates no plant with an id beyond 32 bits. */
export const variedAssumptions = assumptionRegistry.filter(
  ({ id, alternatives, further }) => alternatives.length + further.length > 0 && id !== 'create.idRange',
)

export const maxCreated = 125

export const numbers = (seed: number): (() => number) => {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

export const check = (fetch: FetchLike, options: Partial<ConformanceOptions> = {}): Promise<ConformanceReport> =>
  checkConformance({ fetch, baseUrl, tokens, wait: async () => undefined, random: numbers(1), ...options })

/** The skipped bodies of 1 MiB take as long as all other requests. */
export const checkSmall: typeof check = (fetch, options) => check(fetch, { skip: ['body.maxSize'], ...options })

export const idsOf = ({ rules }: ConformanceReport, outcome: string): readonly string[] =>
  rules.filter((rule) => rule.outcome === outcome).map(({ id }) => id)

export const failuresOf = ({ rules }: ConformanceReport) =>
  rules.flatMap((rule) => (rule.outcome === 'failed' ? [rule] : []))

export const ruleOf = ({ rules }: ConformanceReport, id: string) => rules.find((rule) => rule.id === id)

export const assumptionOf = ({ assumptions }: ConformanceReport, id: string) =>
  assumptions.find((result) => result.id === id)

export const objectionsIn = (report: ConformanceReport): readonly string[] => [
  ...idsOf(report, 'failed'),
  ...idsOf(report, 'advised'),
]

export const notAgreeing = ({ assumptions }: ConformanceReport): readonly string[] =>
  assumptions.filter(({ outcome }) => outcome !== 'agrees').map(({ id }) => id)

export const hiddenUnder = (assume: Assume): readonly string[] => [
  // The check creates only ids of its own range.
  'create.idRange',
  ...((assume['create.required'] ?? 'tag').includes('tag') ? ['create.missingTag'] : []),
  ...(['accept', 'replace', 'idempotent'].includes(assume['create.duplicateId'] ?? '')
    ? ['create.duplicateStatus']
    : []),
  // Lists of 100 plants do not show whether 100 is the default limit.
  ...(assume['list.maxLimit']?.startsWith('clamp') ? ['list.defaultLimit'] : []),
  // A status 501 for an unknown method shows nothing about the other methods.
  ...(assume['operation.other'] === 501 ? ['operation.other'] : []),
  ...(assume['auth.tokens'] === 'listed' ? [] : ['auth.unknownStatus']),
  ...(assume['list.invalidLimit'] === 'ignore' ? ['error.limitBody', 'error.limitStatus'] : []),
  ...(['accept', 'replace', 'idempotent'].includes(assume['create.duplicateId'] ?? '') ? ['error.duplicateBody'] : []),
  // The check deletes a plant only if duplicates show that the service uses the ids of creates.
  ...(assume['create.duplicateId'] === 'accept' ? ['operation.delete'] : []),
]

export const learnedFrom = ({ assumptions }: ConformanceReport): Assume =>
  Object.fromEntries(
    assumptions.flatMap((result) =>
      result.outcome === 'agrees' || result.outcome === 'differs' ? [[result.id, result.found]] : [],
    ),
  )

export const recording = (fetch: FetchLike) => {
  const sent: { readonly url: string; readonly method: string; readonly headers: Headers }[] = []
  const recorded: FetchLike = (url, init) => {
    sent.push({ url, method: init.method ?? 'GET', headers: new Headers(init.headers) })
    return fetch(url, init)
  }
  return Object.assign(recorded, { sent })
}

export const listen = async (listener: RequestListener) => {
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    // Clients close connections early on purpose.
    req.on('error', () => undefined)
    res.on('error', () => undefined)
    listener(req, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
