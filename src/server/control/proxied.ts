import type { Exchange } from '../../core/http/exchange.ts'
import { isLoopback } from '../../core/http/loopback.ts'

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
export const foreignProxyHeader = (header: Exchange['header']): string | undefined => {
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
