import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Assume } from 'plant-mock'
import {
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
  type FetchLike,
} from 'plant-mock/conformance'

/** One begins with the other: what hides tokens must not stop half-way. */
export const tokens = { caller: 'token-of-alice', other: 'token-of-alice-other' }
export const baseUrl = 'http://plants.example'

/** Numbers from 0 up to 1, the same for the same seed (Park and Miller's generator). */
export const numbers = (seed: number): (() => number) => {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** A check without waits and chance. */
export const check = (
  fetch: FetchLike,
  options: Partial<ConformanceOptions> = {},
): Promise<ConformanceReport> =>
  checkConformance({ fetch, baseUrl, tokens, wait: async () => undefined, random: numbers(1), ...options })

export const idsOf = ({ rules }: ConformanceReport, outcome: string): readonly string[] =>
  rules.filter((rule) => rule.outcome === outcome).map(({ id }) => id)

export const failuresOf = ({ rules }: ConformanceReport) =>
  rules.flatMap((rule) => (rule.outcome === 'failed' ? [rule] : []))

export const ruleOf = ({ rules }: ConformanceReport, id: string) => rules.find((rule) => rule.id === id)

export const assumptionOf = ({ assumptions }: ConformanceReport, id: string) =>
  assumptions.find((result) => result.id === id)

/** What was found, as `--learn` writes it. */
export const learned = ({ assumptions }: ConformanceReport): Assume =>
  Object.fromEntries(
    assumptions.flatMap((result) =>
      result.outcome === 'agrees' || result.outcome === 'differs' ? [[result.id, result.found]] : [],
    ),
  )

/** A fetch that notes what is sent. */
export const noting = (fetch: FetchLike) => {
  const sent: { readonly url: string; readonly method: string; readonly headers: Headers }[] = []
  const noted: FetchLike = (url, init) => {
    sent.push({ url, method: init.method ?? 'GET', headers: new Headers(init.headers) })
    return fetch(url, init)
  }
  return Object.assign(noted, { sent })
}

/** A server at any free port, that counts its requests. */
export const listen = async (listener: RequestListener) => {
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    // Clients that leave half-way are what is tested.
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
