import { PlantMockError } from '../../util/errors.ts'

export type StoreAddress = ReturnType<typeof parseAddress>

/** Messages never repeat the address, which may contain a password. @throws PlantMockError for an invalid address. */
export const parseAddress = (url: string, name: string) => {
  try {
    const parsed = new URL(url.replace(/^(unix:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
    const isSocket = parsed.protocol === 'unix:'
    const [host, path] = [parsed.hostname, decodeURIComponent(parsed.pathname)]
    const database = (isSocket ? parsed.searchParams.get('db') : path.slice(1)) || '0'
    const hasPlace = isSocket
      ? path.startsWith('/') && ['', 'localhost'].includes(host)
      : /^rediss?:$/.test(parsed.protocol) && host !== ''
    if (!hasPlace || !/^\d{1,5}$/.test(database)) throw new Error('Invalid')
    const base = `${parsed.protocol}//${host}:${parsed.port || '6379'}/${Number(database)}`
    const [username, password] = [parsed.username, parsed.password].map(decodeURIComponent)
    return {
      shown: isSocket ? `unix:${path}${Number(database) === 0 ? '' : `?db=${Number(database)}`}` : base,
      options: {
        ...(isSocket ? { database: Number(database), socket: { path, tls: false } } : { url: base }),
        ...(username && { username }),
        ...(password && { password }),
      },
    }
  } catch {
    throw new PlantMockError(
      `${name} is not an address. Use redis://HOST:6379/0, rediss://HOST:6379/0 for TLS, or unix:/path/to/socket, and write % as %25.`,
    )
  }
}
