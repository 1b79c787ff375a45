const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
/** IPv4 loopback is 127.0.0.0/8 (RFC 1122, 3.2.1.3). */
const ipv4 = `127(?:\\.${octet}){3}`
/** IPv6 has one loopback address (RFC 4291, 2.5.3). URL parsers write a mapped IPv4 address as `::ffff:7f00:1`. */
const ipv6 = `::1|::ffff:${ipv4}|::ffff:7f[\\da-f]{2}:[\\da-f]{1,4}`
/** Names under localhost resolve to loopback (RFC 6761, 6.3). */
const loopback = new RegExp(`^(?:(?:.*\\.)?localhost|${ipv4}|${ipv6}|\\[(?:${ipv6})\\])$`, 'i')

/** @param host A name or IP address without a port; an IPv6 address with or without brackets. */
export const isLoopback = (host: string): boolean => loopback.test(host)

/** The name in a `Host` (RFC 9110, 7.2), without the port and in lower case. */
export const hostName = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

/** ` Did you mean http://localhost:3000?` for a host or port that lacks its scheme; empty for other texts. */
export const schemeHint = (text: string | URL): string => {
  const [, host, rest = ''] =
    /^(?=.*[.:]|localhost|\d+$)([\w-]+(?:\.[\w-]+)*)((?::\d+)?(?:\/.*)?)$/.exec(String(text)) ?? []
  if (host === undefined) return ''
  if (/^\d+$/.test(host)) return ` Did you mean http://127.0.0.1:${host}?`
  return ` Did you mean ${isLoopback(host) ? 'http' : 'https'}://${host}${rest}?`
}

/** Hides user name and password (RFC 3986, 3.2.1): everything up to the last `@`, even in an invalid address. */
export const withoutUserInfo = (address: string | URL): string =>
  String(address).replace(/^(\s*[a-z][a-z\d+.-]*:(?=[/\\]))?([/\\]*)[\s\S]*@/i, '$1$2…@')

/** Hides user name and password of each address in a text. An address ends at a space. */
export const withoutUserInfos = (text: string): string => text.replaceAll(/(\/\/)[^\s/?#"'<>]*@/g, '$1…@')

/** Whether a text is an origin as browsers send it (RFC 6454, 6.1): without a path or wildcard, or `null`. */
export const isOrigin = (text: string): boolean =>
  text === 'null' || (/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@\\*]+$/i.test(text) && URL.canParse(text))

export const normalisedOrigin = (origin: string): string => {
  const text = origin.trim().toLowerCase()
  return /^https?:/.test(text) && isOrigin(text) ? new URL(text).origin : text
}
