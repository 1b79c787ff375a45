import { headerEntries, type RawHeaders } from '../../core/http/headers.ts'

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
  if (!/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(location) || !URL.canParse(location, target)) return location
  const url = new URL(location, target)
  const path = url.origin === target.origin ? mockPath(url.pathname, target, basePath) : undefined
  // Adds `/.` before a path that begins with `//`, which would name another host (RFC 3986, 4.2).
  return path === undefined ? location : `${path.replace(/^(?=\/\/)/, '/.')}${url.search}${url.hash}`
}

/** Removes the attribute `Domain`, because the cookie must belong to the host of the mock (RFC 6265, 5.3). */
const mockCookie = (cookie: string, target: URL, basePath: string): string =>
  cookie
    .split(';')
    .filter((part, index) => index === 0 || !/^\s*domain\s*=/i.test(part))
    .map((part, index) => {
      const [, path] = index === 0 ? [] : (/^\s*path\s*=\s*(.*?)\s*$/i.exec(part) ?? [])
      return path === undefined ? part : ` Path=${mockPath(path, target, basePath) ?? '/'}`
    })
    .join(';')

const mockPath = (path: string, { pathname }: URL, basePath: string): string | undefined => {
  const own = pathname.replace(/\/+$/, '')
  if (path !== own && !path.startsWith(`${own}/`)) return undefined
  return `${basePath}${path.slice(own.length)}` || '/'
}
