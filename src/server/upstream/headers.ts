import { filterHeaders, headerValue, type RawHeaders } from '../../core/http/headers.ts'

/** Headers of one connection, which are not forwarded (RFC 9110, 7.6.1; RFC 9112, 9.6). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const

/** The names of the headers not to forward: hop-by-hop headers, and those that `Connection` names. */
const connectionHeaders = (headers: RawHeaders): ReadonlySet<string> => {
  const named = (headerValue(headers, 'connection') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    // A sender may not remove what frames or routes a message.
    .filter((name) => name !== 'content-length' && name !== 'host')
  return new Set([...hopByHop, ...named])
}

/** The headers of a response that go on to the client, without those by which a mock upstream would contradict ours. */
export const responseHeadersToForward = (headers: RawHeaders): string[] => {
  const dropped = connectionHeaders(headers)
  return filterHeaders(headers, (name) => !dropped.has(name) && !name.startsWith('plant-mock-'))
}

/**
 * The headers of a request that go on to the upstream, with this mock in `Via` (RFC 9110, 7.6.3), by which it recognises
 * a loop. Headers addressed to the mock, such as its control key, stop here.
 */
export const requestHeadersToForward = (headers: RawHeaders, viaName: string): string[] => {
  const dropped = connectionHeaders(headers)
  const via = [headerValue(headers, 'via') ?? [], `1.1 ${viaName}`].flat().join(', ')
  const forwarded = filterHeaders(
    headers,
    (name) => !dropped.has(name) && name !== 'via' && !name.startsWith('plant-mock-'),
  )
  return [...forwarded, 'via', via]
}

/** Whether a request has passed this mock before. */
export const isLoop = (headers: RawHeaders, viaName: string): boolean =>
  (headerValue(headers, 'via') ?? '').split(',').some((part) => part.trim().split(/\s+/)[1] === viaName)
