import { headerEntries, type RawHeaders } from '../../core/http/headers.ts'

/**
 * Rewrites the upstream's addresses in a response, so that the client stays with the mock: a `Location` within the
 * upstream becomes a path of the mock, and cookies lose their `Domain` and the path of the upstream.
 * @param target The upstream. Its path corresponds to the base path of the mock.
 */
export const withMockAddresses = (headers: RawHeaders, target: URL, basePath: string): string[] =>
  headerEntries(headers).flatMap(([name, value]) => {
    switch (name.toLowerCase()) {
      case 'location':
      case 'content-location':
        return [name, mockLocation(value, target, basePath)]
      case 'set-cookie':
        return [name, mockCookie(value, target, basePath)]
      default:
        return [name, value]
    }
  })

const mockLocation = (location: string, target: URL, basePath: string): string => {
  // A reference without origin and leading slash, such as "?page=2" or "next", is relative to the request.
  if (!/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(location) || !URL.canParse(location, target)) return location
  const url = new URL(location, target)
  const path = url.origin === target.origin ? mockPath(url.pathname, target, basePath) : undefined
  // A path that begins with two slashes would name another host (RFC 3986, 4.2).
  return path === undefined ? location : `${path.replace(/^(?=\/\/)/, '/.')}${url.search}${url.hash}`
}

/** Removes `Domain`, which names the upstream: the cookie then belongs to the host that sets it (RFC 6265, 5.3). */
const mockCookie = (cookie: string, target: URL, basePath: string): string =>
  cookie
    .split(';')
    .filter((part, index) => index === 0 || !/^\s*domain\s*=/i.test(part))
    .map((part, index) => {
      const [, path] = index === 0 ? [] : (/^\s*path\s*=\s*(.*?)\s*$/i.exec(part) ?? [])
      return path === undefined ? part : ` Path=${mockPath(path, target, basePath) ?? '/'}`
    })
    .join(';')

/** `undefined` for a path outside of the upstream's base path. */
const mockPath = (path: string, { pathname }: URL, basePath: string): string | undefined => {
  const own = pathname.replace(/\/+$/, '')
  if (path !== own && !path.startsWith(`${own}/`)) return undefined
  return `${basePath}${path.slice(own.length)}` || '/'
}
