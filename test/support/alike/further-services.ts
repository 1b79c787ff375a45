import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler } from 'express'
import fastify from 'fastify'
import type { StockService } from '../stock-services/index.ts'

type Plant = { readonly id: number; readonly name: string; readonly tag: string }

const shown = ({ name, tag }: Plant) => ({ name, tag })

/** Fastify as it comes: types are coerced, fields that a schema does not name are removed, tokens are checked last. */
const fastifyDefaults: StockService = async (tokens) => {
  const plants = new Map<string, Plant[]>(tokens.map((token) => [token, []]))
  const app = fastify()
  const own = (authorization = ''): Plant[] => {
    const found = plants.get(authorization.replace(/^Bearer /, ''))
    if (found === undefined) throw Object.assign(new Error('Unauthorized'), { statusCode: 401 })
    return found
  }
  const querystring = {
    type: 'object',
    properties: { limit: { type: 'integer', minimum: 0, maximum: 50, default: 25 } },
  }
  app.get<{ Querystring: { limit: number } }>('/plants', { schema: { querystring } }, async ({ headers, query }) =>
    own(headers.authorization).slice(0, query.limit).map(shown),
  )
  const body = {
    type: 'object',
    required: ['id', 'name', 'tag'],
    additionalProperties: false,
    properties: { id: { type: 'integer' }, name: { type: 'string', minLength: 1 }, tag: { type: 'string' } },
  }
  app.post<{ Body: Plant }>('/plants', { schema: { body } }, async ({ headers, body }, reply) => {
    own(headers.authorization).push(body)
    return reply.code(201).send(shown(body))
  })
  await app.ready()
  return (req, res) => app.routing(req, res)
}

/** Express with a filter of exceptions as NestJS writes them, with times and request ids. */
const nestLike: StockService = (tokens) => {
  const plants = new Map<string, Map<number, Plant>>(tokens.map((token) => [token, new Map()]))
  let requests = 0
  const refuse = (status: number, message: string | readonly string[]): Error =>
    Object.assign(new Error('refused'), { status, shown: message })
  const app = express()
  app.set('etag', false)
  app.use((req, res, next) => {
    res.locals.own = plants.get(/^Bearer (\S+)$/i.exec(req.get('authorization') ?? '')?.[1] ?? '')
    next(res.locals.own === undefined ? refuse(401, 'Unauthorized') : undefined)
  })
  app.use(express.json({ limit: '32kb' }))
  app.get('/plants', (req, res) => {
    const { limit } = req.query
    if (limit !== undefined && !/^\d+$/.test(String(limit))) throw refuse(400, ['limit must be a number string'])
    const all = [...(res.locals.own as Map<number, Plant>).values()].toReversed()
    res.json(all.slice(0, limit === undefined ? 10 : Math.min(Number(limit), 100)).map(shown))
  })
  app.post('/plants', (req, res) => {
    const { id, name, tag } = req.body ?? {}
    const messages = [
      ...(typeof name === 'string' ? [] : ['name must be a string']),
      ...(typeof name === 'string' && name !== '' ? [] : ['name should not be empty']),
      ...(Number.isInteger(id) ? [] : ['id must be an integer number']),
      ...(tag === undefined || typeof tag === 'string' ? [] : ['tag must be a string']),
    ]
    if (messages.length > 0) throw refuse(400, messages)
    const plant = { id, name, tag: tag ?? '' }
    const own = res.locals.own as Map<number, Plant>
    if (own.has(id)) throw refuse(409, `A plant with id ${id} exists already`)
    own.set(id, plant)
    res.status(201).json(shown(plant))
  })
  app.use((req, _res, next) => next(refuse(404, `Cannot ${req.method} ${req.path}`)))
  const onError: ErrorRequestHandler = (error, req, res, _next) => {
    const { status = 500, shown: message = error.message } = error
    res.status(status).json({
      statusCode: status,
      message,
      timestamp: new Date(Date.UTC(2026, 10, 24) + requests++ * 1_371).toISOString(),
      path: req.path,
      requestId: `req-${requests}`,
    })
  }
  app.use(onError)
  return app
}

/** In the manner of Koa: middleware that throws, and failures as text of the status or the message, without a charset. */
const koaLike: StockService = (tokens) => {
  const plants: (Plant & { readonly owner: string })[] = []
  class HttpError extends Error {
    readonly status: number
    constructor(status: number, message: string) {
      super(message)
      this.status = status
    }
  }
  const bodyOf = async (req: IncomingMessage): Promise<Partial<Plant>> => {
    if (!/^application\/json\b/.test(req.headers['content-type'] ?? ''))
      throw new HttpError(415, 'Unsupported Media Type')
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    try {
      return JSON.parse(Buffer.concat(chunks).toString())
    } catch {
      throw new HttpError(400, 'invalid JSON, only supports object and array')
    }
  }
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
    const send = (status: number, value: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
    }
    if (pathname !== '/plants') throw new HttpError(404, 'Not Found')
    const owner = /^bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? ''
    if (!tokens.includes(owner)) throw new HttpError(401, 'Authentication Error')
    if (req.method === 'GET') {
      const limit = searchParams.get('limit')
      if (limit !== null && !/^[1-9]\d*$/.test(limit)) throw new HttpError(400, '<b>bad limit</b>')
      const own = plants.filter((plant) => plant.owner === owner).sort((a, b) => (a.name < b.name ? -1 : 1))
      return send(200, own.slice(0, Number(limit ?? 50)).map(shown))
    }
    if (req.method !== 'POST') throw new HttpError(405, 'Method Not Allowed')
    const { id, name, tag, ...rest } = await bodyOf(req)
    if (typeof name !== 'string' || typeof tag !== 'string' || !Number.isInteger(id) || Object.keys(rest).length > 0)
      throw new HttpError(422, 'this is no plant')
    const plant = { id: Number(id), name, tag }
    const at = plants.findIndex((other) => other.owner === owner && other.id === id)
    if (at >= 0) plants.splice(at, 1)
    plants.push({ ...plant, owner })
    return send(200, shown(plant))
  }
  return (req, res) => {
    respond(req, res).catch(({ status = 500, message }: HttpError) => {
      const isMarkup = message.startsWith('<')
      const text = isMarkup ? `<h1>${status} ${message}</h1>` : message
      res.writeHead(status, { 'content-type': isMarkup ? 'text/html' : 'text/plain' }).end(text)
    })
  }
}

/** Beside the stock services, three more in the manner of frameworks. */
export const furtherServices = {
  'Fastify as it comes': fastifyDefaults,
  'NestJS-like filters on Express': nestLike,
  'Koa-like text on node:http': koaLike,
} as const satisfies Readonly<Record<string, StockService>>
