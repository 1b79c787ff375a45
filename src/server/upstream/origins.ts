import { hostName, isLoopback, isOrigin, normalisedOrigin } from '../../core/http/address.ts'
import type { ReceivedRequest } from '../../core/http/exchange.ts'

type Header = ReceivedRequest['header']

/**
 * Through the mock, a page could use an upstream that only this machine can reach. The result says why a request is
 * refused: its page is unknown, or its `Host` is, which may be DNS rebinding.
 * @param bound The address of the mock.
 */
export const originCheck = (allowed: readonly string[], bound: string) => {
  const known = new Set(allowed.map(normalisedOrigin))
  const knownHosts = new Set([...known].map(hostOf))
  const refusedHost = (host: string | undefined): string | undefined => {
    // Browsers always send a Host, so no page sent this request.
    if (host === undefined || !isLoopback(bound)) return undefined
    const name = hostName(host)
    if (isLoopback(name) || (name !== '' && knownHosts.has(name))) return undefined
    const example = isOrigin(`https://${host}`) ? `, such as --allow-origin https://${host}` : ''
    return `The Host ${JSON.stringify(host)} is not a loopback name. Use 127.0.0.1 or localhost. Behind a proxy that sends this Host, start with --allow-origin and the origin of its pages${example}.`
  }
  const refusedPage = (header: Header): string | undefined => {
    const origin = pageOf(header)
    if (origin === undefined) return undefined
    const page = normalisedOrigin(origin)
    const isOwn = [`http://${header('host')}`, `https://${header('host')}`].map(normalisedOrigin).includes(page)
    if ((isOwn && !isLoopback(bound)) || known.has(page) || isLoopback(hostOf(page))) return undefined
    return `Pages of the origin ${JSON.stringify(origin)} may not reach the upstream. If they should, start with --allow-origin ${isOrigin(page) ? page : 'ORIGIN'}.`
  }
  return (header: Header): string | undefined => refusedHost(header('host')) ?? refusedPage(header)
}

/** Browsers send no `Origin` for images, scripts and forms, and Sec-Fetch headers only to HTTPS and loopback. */
const pageOf = (header: Header): string | undefined => {
  const origin = header('origin')
  if (origin !== undefined) return origin
  const site = header('sec-fetch-site')
  if (site === undefined) return referrerOrigin(header)
  if (site === 'same-origin' || site === 'none') return undefined
  // No page can read the response of a followed link.
  if (header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document') return undefined
  return referrerOrigin(header) ?? 'null'
}

const referrerOrigin = (header: Header): string | undefined => {
  const referrer = header('referer') ?? ''
  return URL.canParse(referrer) ? new URL(referrer).origin : undefined
}

const hostOf = (origin: string): string => (isOrigin(origin) && origin !== 'null' ? new URL(origin).hostname : '')
