import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { validator } from 'hono/validator'

type Plant = { readonly id: number; readonly name: string; readonly tag: string }
type FieldError = { readonly field: string; readonly message: string }

const errorsIn = ({ id, name, tag }: Record<string, unknown>): readonly FieldError[] => [
  ...(Number.isSafeInteger(id) && Number(id) > 0 ? [] : [{ field: 'id', message: 'must be a positive integer' }]),
  ...(typeof name === 'string' && name !== '' ? [] : [{ field: 'name', message: 'must not be empty' }]),
  ...(typeof tag === 'string' && tag !== '' ? [] : [{ field: 'tag', message: 'must not be empty' }]),
]

/**
 * Hono's middleware with its plain-text errors, `{"message","errors":[…]}` from the handlers, sorted by name; a limit
 * that is no number is ignored.
 */
export const honoService = (tokens: readonly string[]): RequestListener => {
  const plants = new Map<string, Plant[]>()
  const app = new Hono()
  const ownPlants = (authorization = ''): Plant[] => {
    const token = authorization.replace(/^Bearer +/i, '')
    const own = plants.get(token) ?? []
    plants.set(token, own)
    return own
  }

  app.use('/plants', bearerAuth({ token: [...tokens] }))

  app.get('/plants', (c) => {
    const limit = Number(c.req.query('limit') ?? 'all')
    const sorted = ownPlants(c.req.header('authorization')).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const listed = Number.isInteger(limit) && limit >= 0 ? sorted.slice(0, limit) : sorted
    return c.json(listed.map(({ name, tag }) => ({ tag, name })))
  })

  const validBody = validator('json', (value: unknown, c) => {
    const body = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
    const errors = errorsIn(body as Record<string, unknown>)
    return errors.length > 0 ? c.json({ message: 'Validation failed', errors }, 422) : (body as Plant)
  })

  app.post('/plants', bodyLimit({ maxSize: 50 * 1024 }), validBody, (c) => {
    const { id, name, tag } = c.req.valid('json')
    const own = ownPlants(c.req.header('authorization'))
    if (own.some((plant) => plant.id === id)) return c.json({ message: `Plant ${id} exists`, errors: [] }, 409)
    own.push({ id, name, tag })
    return c.json({ tag, name }, 201)
  })

  // The default replaces `Request` and `Response` for the whole process.
  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}
