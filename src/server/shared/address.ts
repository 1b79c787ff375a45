import { PlantMockError } from '../../util/errors.ts'

/** The address of a store. */
export type StoreAddress = {
  readonly url: string
  /** Without credentials, for messages. */
  readonly shown: string
  /** The options of the client library. */
  readonly options: {
    readonly url?: string
    readonly username?: string
    readonly password?: string
    readonly database?: number
    readonly socket?: { readonly path: string; readonly tls: false }
  }
}

const forms = 'Use redis://HOST:6379/0, rediss://HOST:6379/0 for TLS, or unix:/path/to/socket.'

/**
 * Reads the address of a store. `unix:/path?db=1` selects another database than 0.
 * @param name Of the option, for messages, which never repeat the address: it may hold a password.
 * @throws PlantMockError for anything else.
 */
export const parseAddress = (url: string, name: string): StoreAddress => {
  const parsed = parseUrl(url)
  if (parsed === undefined) throw new PlantMockError(`${name} is not an address. ${forms}`)
  const { protocol, hostname, port, pathname, searchParams } = parsed
  if (protocol === 'unix:') {
    const path = decoded(pathname, name)
    if (!path.startsWith('/') || (hostname !== '' && hostname !== 'localhost'))
      throw new PlantMockError(`${name} names no socket. ${forms}`)
    const database = databaseIn(searchParams.get('db') ?? '0', name)
    return {
      url,
      shown: `unix:${path}${database === 0 ? '' : `?db=${database}`}`,
      options: { database, socket: { path, tls: false }, ...credentialsIn(parsed, name) },
    }
  }
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new PlantMockError(`${name} has the scheme ${protocol}// instead of redis://. ${forms}`)
  if (hostname === '') throw new PlantMockError(`${name} has no host. ${forms}`)
  const database = databaseIn(pathname.slice(1) || '0', name)
  return {
    url,
    shown: `${protocol}//${hostname}:${port || '6379'}/${database}`,
    options: { url: `${protocol}//${hostname}:${port || '6379'}/${database}`, ...credentialsIn(parsed, name) },
  }
}

/** A URL with credentials has a host: `unix://user:password@/path` gets one. */
const parseUrl = (url: string): URL | undefined => {
  try {
    return new URL(url.replace(/^(unix:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
  } catch {
    return undefined
  }
}

const databaseIn = (text: string, name: string): number => {
  if (!/^\d{1,5}$/.test(text)) throw new PlantMockError(`${name} has no number of a database after its host. ${forms}`)
  return Number(text)
}

const credentialsIn = ({ username, password }: URL, name: string) => ({
  ...(username !== '' && { username: decoded(username, name) }),
  ...(password !== '' && { password: decoded(password, name) }),
})

const decoded = (text: string, name: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new PlantMockError(`${name} has a % without the two digits of a percent-encoded byte. Write %25 instead.`)
  }
}
