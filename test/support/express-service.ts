import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'

type Plant = { readonly id: number; readonly name: string; readonly tag: string }

class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const maxLimit = 100

export const expressService = (tokens: readonly string[]): RequestListener => {
  const plants = new Map<string, Plant[]>(tokens.map((token) => [token, []]))

  const ownPlants = (req: Request): Plant[] => {
    const token = /^Bearer (.+)$/.exec(req.get('authorization') ?? '')?.[1] ?? ''
    const own = plants.get(token)
    if (own === undefined) throw new ApiError(401, 'unauthorized', 'A valid bearer token is required')
    return own
  }

  const requireToken: RequestHandler = (req, res, next) => {
    res.set('WWW-Authenticate', 'Bearer')
    ownPlants(req)
    res.removeHeader('WWW-Authenticate')
    next()
  }

  const list: RequestHandler = (req, res) => {
    const { limit = String(maxLimit) } = req.query
    const count = Number(limit)
    if (typeof limit !== 'string' || limit === '' || !Number.isInteger(count) || count < 1 || count > maxLimit)
      throw new ApiError(422, 'invalid_limit', `limit must be an integer from 1 to ${maxLimit}`)
    const newest = ownPlants(req).toReversed().slice(0, count)
    res.json(newest.map(({ name, tag }) => ({ name, tag })))
  }

  const create: RequestHandler = (req, res) => {
    const { id, name, tag } = req.body ?? {}
    if (!Number.isInteger(id)) throw new ApiError(422, 'invalid_id', 'id must be an integer')
    if (typeof name !== 'string' || name.trim() === '') throw new ApiError(422, 'invalid_name', 'name is required')
    if (typeof tag !== 'string') throw new ApiError(422, 'invalid_tag', 'tag must be a string')
    const own = ownPlants(req)
    if (own.some((plant) => plant.id === id)) throw new ApiError(409, 'duplicate_id', `plant ${id} already exists`)
    own.push({ id, name, tag })
    res.status(201).json({ name, tag })
  }

  const notFound: RequestHandler = ({ method, path }) => {
    throw new ApiError(404, 'not_found', `${method} ${path} was not found`)
  }

  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    const { status = 500, code = error.type ?? 'internal', message } = error
    res.status(status).json({ errors: [{ code, message }] })
  }

  const app = express()
  app.use(express.json())
  app.use(requireToken)
  app.get('/plants', list)
  app.post('/plants', create)
  app.use(notFound)
  app.use(onError)
  return app
}
