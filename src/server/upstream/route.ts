import {
  type Agent,
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent'
import { getProxyForUrl } from 'proxy-from-env'
import { isLoopback } from '../../core/http/address.ts'
import { PlantMockError } from '../../util/errors.ts'

export type UpstreamRoute = {
  readonly proxy: string | undefined
  readonly agent: (options: AgentOptions) => Agent
  readonly tunnel: () => Agent | undefined
  readonly request: (path: string, options: RequestOptions) => ClientRequest
}

export const routeTo = (target: URL, timeout: number): UpstreamRoute => {
  const isSecure = target.protocol === 'https:'
  const proxy = proxyFor(target)
  if (proxy === undefined) {
    const send = requestOf(target)
    return {
      proxy: undefined,
      agent: (options) => new (isSecure ? HttpsAgent : HttpAgent)(options),
      tunnel: () => undefined,
      request: (path, options) => send(target, { ...options, path }),
    }
  }
  const address = new URL(proxy.origin)
  const tunnel = (options?: AgentOptions): Agent =>
    new (isSecure ? HttpsProxyAgent : HttpProxyAgent)({ timeout, ...options, proxy })
  if (isSecure)
    return {
      proxy: address.origin,
      agent: tunnel,
      tunnel,
      request: (path, options) => httpsRequest(target, { ...options, path }),
    }
  const send = requestOf(proxy)
  const credentials = [proxy.username, proxy.password].map(decodeURIComponent).join(':')
  const authorization = credentials !== ':' && `Basic ${Buffer.from(credentials).toString('base64')}`
  return {
    proxy: address.origin,
    // Sets `servername`: otherwise TLS would compare the certificate of the proxy with the host of the target.
    agent: (options) =>
      proxy.protocol === 'https:' ? new HttpsAgent({ ...options, servername: proxy.hostname }) : new HttpAgent(options),
    tunnel,
    // Sends the absolute URL (RFC 9112, 3.2.2) instead of CONNECT, which many proxies allow only to port 443.
    request: (path, { headers, ...options }) =>
      send(address, {
        ...options,
        path: `${target.origin}${path}`,
        headers: { host: target.host, ...headers, ...(authorization && { 'proxy-authorization': authorization }) },
      }),
  }
}

const requestOf = ({ protocol }: URL) => (protocol === 'https:' ? httpsRequest : httpRequest)

const proxyFor = (target: URL): URL | undefined => {
  const text = isLoopback(target.hostname) || isExcluded(target.hostname) ? '' : getProxyForUrl(target.href)
  if (text === '') return undefined
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy !== undefined && /^https?:$/.test(proxy.protocol) && !/%(?![\da-f]{2})/i.test(text)) return proxy
  const variable = `${target.protocol.slice(0, -1).toUpperCase()}_PROXY`
  throw new PlantMockError(
    `${variable} is not the address of an HTTP proxy. Write it as http://proxy.example:3128, or name ${target.hostname} in NO_PROXY.`,
  )
}

/** Supports address ranges (CIDR) and bare IPv6 addresses in NO_PROXY, which `proxy-from-env` ignores. */
const isExcluded = (hostname: string): boolean => {
  const address = hostname.replace(/^\[|\]$/g, '')
  const excluded = new BlockList()
  for (const entry of (process.env.no_proxy || process.env.NO_PROXY || '').split(/[,\s]+/)) {
    const [, network = '', length] = /^(.+?)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const [family, most] = isIPv6(network) ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    const bits = Number(length ?? most)
    if (isIP(network) !== 0 && bits <= most) excluded.addSubnet(network, bits, family)
  }
  return isIP(address) !== 0 && excluded.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
