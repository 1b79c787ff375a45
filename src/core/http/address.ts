const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
/** Includes all of 127.0.0.0/8, which RFC 1122 (3.2.1.3) reserves for loopback. */
const ipv4 = `127(?:\\.${octet}){3}`
/** Includes `::ffff:7f00:1`, the form of `::ffff:127.0.0.1` after `new URL` has parsed it. */
const ipv6 = `::1|::ffff:${ipv4}|::ffff:7f[\\da-f]{2}:[\\da-f]{1,4}`
/** Includes all names below `localhost`, which resolve to loopback (RFC 6761, 6.3). */
const loopback = new RegExp(`^(?:(?:.*\\.)?localhost|${ipv4}|${ipv6}|\\[(?:${ipv6})\\])$`, 'i')

export const isLoopback = (host: string): boolean => loopback.test(host)

export const hostName = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

export const schemeHint = (text: string | URL): string => {
  const [, host, rest = ''] =
    /^(?=.*[.:]|localhost|\d+$)([\w-]+(?:\.[\w-]+)*)((?::\d+)?(?:\/.*)?)$/.exec(String(text)) ?? []
  if (host === undefined) return ''
  if (/^\d+$/.test(host)) return ` Did you mean http://127.0.0.1:${host}?`
  return ` Did you mean ${isLoopback(host) ? 'http' : 'https'}://${host}${rest}?`
}

/** Hides everything before the last `@`, because even an invalid address may contain a password. */
export const withoutUserInfo = (address: string | URL): string =>
  String(address).replace(/^(\s*[a-z][a-z\d+.-]*:(?=[/\\]))?([/\\]*)[\s\S]*@/i, '$1$2…@')

export const withoutUserInfos = (text: string): string => text.replaceAll(/(\/\/)[^\s/?#"'<>]*@/g, '$1…@')

/** Accepts an origin without a path, or the text `null` that browsers send for an opaque origin (RFC 6454, 6.1). */
export const isOrigin = (text: string): boolean =>
  text === 'null' || (/^[a-z][a-z\d+.-]*:\/\/[^/?#\s@\\*]+$/i.test(text) && URL.canParse(text))

export const normalisedOrigin = (origin: string): string => {
  const text = origin.trim().toLowerCase()
  return /^https?:/.test(text) && isOrigin(text) ? new URL(text).origin : text
}
