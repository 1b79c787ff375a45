import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

type Plant = { readonly name: string; readonly tag: string }

const defaultLimit = 20
const maxLimit = 50

const send = (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}

const readText = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** node:http alone; lists are pages of 20, at most 50. Errors are `{"detail":…}`; a second create replaces the first. */
export const pagingService = (tokens: readonly string[]): RequestListener => {
  const plants = new Map<string, Map<number, Plant>>(tokens.map((token) => [token, new Map()]))

  const invalid = (res: ServerResponse, loc: readonly string[], msg: string): void =>
    send(res, 422, { detail: [{ loc, msg, type: 'value_error' }] })

  const list = (url: URL, own: ReadonlyMap<number, Plant>, res: ServerResponse): void => {
    const text = url.searchParams.get('limit') ?? String(defaultLimit)
    if (!/^\d+$/.test(text)) invalid(res, ['query', 'limit'], 'value is not a valid integer')
    else send(res, 200, [...own.values()].slice(0, Math.min(Number(text), maxLimit)))
  }

  const create = (text: string, own: Map<number, Plant>, res: ServerResponse): void => {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      send(res, 400, { detail: 'There was an error parsing the body' })
      return
    }
    const { id, name, tag, ...rest } = (body ?? {}) as Record<string, unknown>
    const [extra] = Object.keys(rest)
    if (typeof name !== 'string') invalid(res, ['body', 'name'], 'value is not a valid string')
    else if (typeof id !== 'number' || !Number.isInteger(id))
      invalid(res, ['body', 'id'], 'value is not a valid integer')
    else if (typeof tag !== 'string') invalid(res, ['body', 'tag'], 'value is not a valid string')
    else if (extra !== undefined) invalid(res, ['body', extra], 'extra fields not permitted')
    else {
      own.set(id, { tag, name })
      send(res, 200, { tag, name })
    }
  }

  return async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost')
    if (url.pathname !== '/plants') return send(res, 404, { detail: 'Not Found' })
    if (req.method !== 'GET' && req.method !== 'POST')
      return send(res, 405, { detail: 'Method Not Allowed' }, { allow: 'GET, POST' })
    const [scheme, token = ''] = req.headers.authorization?.split(' ') ?? []
    const own = plants.get(token)
    if (scheme?.toLowerCase() !== 'bearer') return send(res, 403, { detail: 'Not authenticated' })
    if (own === undefined) return send(res, 401, { detail: 'Invalid token' }, { 'www-authenticate': 'Bearer' })
    if (req.method === 'GET') return list(url, own, res)
    create(await readText(req), own, res)
  }
}
