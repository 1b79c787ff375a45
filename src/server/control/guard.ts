import { hostName, isLoopback } from '../../core/http/address.ts'
import type { ReceivedRequest } from '../../core/http/exchange.ts'
import type { Problem } from '../../core/model/result.ts'
import { keyHeader } from './paths.ts'

export type GuardOptions = {
  readonly key: string | undefined
  readonly host: string | undefined
}

/** Checks `Host` against DNS rebinding, and refuses pages of other origins against cross-site request forgery. */
export const refusalFor = (
  header: ReceivedRequest['header'],
  localAddress: string | undefined,
  { key, host }: GuardOptions,
): Problem | undefined => {
  const sentHost = header('host')
  if (key === undefined) {
    if (!isLoopback(host ?? localAddress ?? ''))
      return off('The control interface is off, because other machines can reach this address.')
    const proxyHeader = foreignProxyHeader(header)
    if (proxyHeader !== undefined)
      return off(`A proxy forwarded this request (${proxyHeader}), so another machine may have sent it.`)
    if (!isOwnHost(sentHost, host))
      return foreign(`The Host ${JSON.stringify(sentHost ?? '')} is not a loopback name. Use 127.0.0.1 or localhost.`)
  }
  const origin = header('origin')
  if (origin !== undefined && !isOriginOf(origin, sentHost))
    return foreign(`Pages of the origin ${JSON.stringify(origin)} may not control the mock.`)
  if (!['same-origin', 'none', undefined].includes(header('sec-fetch-site')))
    return foreign('A page of another site sent this request.')
  if (key !== undefined && !isEqual(header(keyHeader) ?? '', key))
    return { problem: 'control-key', detail: 'Send the key of --control-key in the header Plant-Mock-Control-Key.' }
  return undefined
}

const off = (reason: string): Problem => ({
  problem: 'control-off',
  detail: `${reason} Start with --control-key KEY, and send the key in the header Plant-Mock-Control-Key.`,
})

const foreign = (detail: string): Problem => ({ problem: 'control-foreign', detail })

const isOwnHost = (sent: string | undefined, bound: string | undefined): boolean => {
  const name = sent === undefined ? '' : hostName(sent)
  return isLoopback(name) || (name !== '' && name === bound?.toLowerCase())
}

const isOriginOf = (origin: string, host: string | undefined): boolean =>
  host !== undefined && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase().trim())

/** Compares in constant time, against timing attacks. `timingSafeEqual` would load node:crypto at each start. */
const isEqual = (given: string, key: string): boolean => {
  let difference = given.length ^ key.length
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ key.charCodeAt(i % key.length)
  return difference === 0
}

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

const foreignProxyHeader = (header: ReceivedRequest['header']): string | undefined => {
  if (header('via') !== undefined) return 'via'
  const isForeign = (element: string): boolean => !clientsIn(element).every(isLocal)
  if (header('forwarded')?.split(',').some(isForeign)) return 'forwarded'
  return addressHeaders.find((name) => header(name)?.split(',').every(isLocal) === false)
}

/** Returns '' if a `Forwarded` header omits the client (RFC 7239, 5.2), because '' counts as another machine. */
const clientsIn = (element: string): readonly string[] => {
  const clients = [...element.matchAll(/(?:^|;)\s*for=(?:"([^"]*)"|([^;\s]*))/gi)]
  return clients.length === 0 ? [''] : clients.map(([, quoted, bare]) => quoted ?? bare ?? '')
}

const isLocal = (address: string): boolean => {
  const trimmed = address.trim()
  return isLoopback(trimmed) || isLoopback(trimmed.replace(/:\d+$/, ''))
}
