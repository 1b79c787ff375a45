import type { ProblemType } from '../../core/contract/problems.ts'
import { hostName, isLoopback } from '../../core/http/address.ts'
import type { Exchange } from '../../core/http/exchange.ts'
import { keyHeader } from './paths.ts'

export type GuardOptions = {
  /** The control key that requests have to carry; `undefined` for none. */
  readonly key: string | undefined
  /** The host option of the server; `undefined` behind a server of another kind. */
  readonly host: string | undefined
}

/** Why a request is refused before its route receives it. */
export type Refusal = { readonly problem: ProblemType; readonly detail: string }

/**
 * Why a request may not control the mock; `undefined` when it may.
 * Without a key, only connections on a loopback address with a loopback `Host` may, which prevents DNS rebinding, and
 * only if no proxy says that they come from another machine. Pages
 * of other origins never may, which prevents cross-site request forgery.
 * @param localAddress Of the connection.
 */
export const refusalFor = (
  header: Exchange['header'],
  localAddress: string | undefined,
  { key, host }: GuardOptions,
): Refusal | undefined => {
  if (key === undefined && !isLoopback(host ?? localAddress ?? ''))
    return {
      problem: 'control-off',
      detail:
        'The control interface is off, because other machines can reach this address. Start with --control-key KEY, and send the key in the header Plant-Mock-Control-Key.',
    }
  const proxyHeader = key === undefined ? foreignProxyHeader(header) : undefined
  if (proxyHeader !== undefined)
    return {
      problem: 'control-off',
      detail: `A proxy forwarded this request (${proxyHeader}), so another machine may have sent it. Start with --control-key KEY, and send the key in the header Plant-Mock-Control-Key.`,
    }
  const sentHost = header('host')
  if (key === undefined && !isOwnHost(sentHost, host))
    return foreign(`The Host ${JSON.stringify(sentHost ?? '')} is not a loopback name. Use 127.0.0.1 or localhost.`)
  const origin = header('origin')
  if (origin !== undefined && !isOriginOf(origin, sentHost))
    return foreign(`Pages of the origin ${JSON.stringify(origin)} may not control the mock.`)
  if (!['same-origin', 'none', undefined].includes(header('sec-fetch-site')))
    return foreign('A page of another site sent this request.')
  if (key !== undefined && !isEqual(header(keyHeader) ?? '', key))
    return { problem: 'control-key', detail: 'Send the key of --control-key in the header Plant-Mock-Control-Key.' }
  return undefined
}

const foreign = (detail: string): Refusal => ({ problem: 'control-foreign', detail })

const isOwnHost = (sent: string | undefined, bound: string | undefined): boolean => {
  const name = sent === undefined ? '' : hostName(sent)
  return isLoopback(name) || (name !== '' && name === bound?.toLowerCase())
}

const isOriginOf = (origin: string, host: string | undefined): boolean =>
  host !== undefined && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase().trim())

/**
 * Compares in constant time for a given length, so that response times do not reveal the key.
 * perf: not `timingSafeEqual`, because loading node:crypto slows down each start.
 */
const isEqual = (given: string, key: string): boolean => {
  let difference = given.length ^ key.length
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ key.charCodeAt(i % key.length)
  return difference === 0
}

/** Headers in which proxies give the address of the client, several separated by commas. */
const addressHeaders = [
  'x-forwarded-for',
  'x-forwarded',
  'forwarded-for',
  'x-original-forwarded-for',
  'x-envoy-external-address',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
]

/**
 * The name of a header by which a proxy says that another machine may have sent the request; `undefined` for a request
 * of this machine, or through a proxy that adds no header.
 */
const foreignProxyHeader = (header: Exchange['header']): string | undefined => {
  // A proxy adds Via without the address of its client (RFC 9110, 7.6.3).
  if (header('via') !== undefined) return 'via'
  const forwarded = header('forwarded')
  if (forwarded !== undefined && !forwarded.split(',').every(isOfThisMachine)) return 'forwarded'
  return addressHeaders.find((name) => header(name)?.split(',').every(isLocal) === false)
}

/** Whether an element of `Forwarded` (RFC 7239, 5.2) names a client, and one of this machine. */
const isOfThisMachine = (element: string): boolean => {
  const clients = [...element.matchAll(/(?:^|;)\s*for=(?:"([^"]*)"|([^;\s]*))/gi)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
  return clients.length > 0 && clients.every(isLocal)
}

/** Whether an address, with or without a port, is of this machine. */
const isLocal = (address: string): boolean => {
  const trimmed = address.trim()
  return isLoopback(trimmed) || isLoopback(trimmed.replace(/:\d+$/, ''))
}
