import type { RequestListener } from 'node:http'
import { Ajv } from 'ajv'
import fastify, { type FastifyError, type FastifyRequest } from 'fastify'

type Plant = { readonly id: number; readonly name: string; readonly tag: string }

const createSchema = {
  type: 'object',
  required: ['name', 'id'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string', minLength: 1 },
    tag: { type: 'string', default: '' },
  },
}

const listSchema = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 500 } },
}

const httpError = (statusCode: number, message: string): Error =>
  Object.assign(new Error(message), { statusCode }) satisfies Partial<FastifyError>

/**
 * Schemas, Fastify's own errors, ids unique among all callers, in the order of ids; the token is checked for unknown
 * paths too. As Fastify's documentation shows, types are coerced in the query but not in the body.
 */
export const fastifyService = async (tokens: readonly string[]): Promise<RequestListener> => {
  const plants: (Plant & { readonly owner: string })[] = []
  const app = fastify()
  const ajv = {
    body: new Ajv({ useDefaults: true, allErrors: false }),
    rest: new Ajv({ coerceTypes: 'array', useDefaults: true }),
  }
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? ajv.body : ajv.rest).compile(schema))

  const tokenOf = ({ headers }: FastifyRequest): string => headers.authorization?.replace(/^bearer\s+/i, '') ?? ''

  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization === undefined) throw httpError(401, 'Missing Authorization header')
    if (!tokens.includes(tokenOf(request))) throw httpError(401, 'Invalid token')
  })

  app.get<{ Querystring: { limit?: number } }>('/plants', { schema: { querystring: listSchema } }, async (request) => {
    const own = plants.filter(({ owner }) => owner === tokenOf(request)).sort((a, b) => a.id - b.id)
    return own.slice(0, request.query.limit).map(({ name, tag }) => ({ name, tag }))
  })

  app.post<{ Body: Plant }>('/plants', { schema: { body: createSchema } }, async (request, reply) => {
    const { id, name, tag } = request.body
    if (plants.some((plant) => plant.id === id)) throw httpError(409, `Plant ${id} already exists`)
    plants.push({ id, name, tag, owner: tokenOf(request) })
    return reply.code(201).send({ name, tag })
  })

  await app.ready()
  return (req, res) => app.routing(req, res)
}
