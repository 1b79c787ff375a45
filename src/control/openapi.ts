import type { Json } from '../contract/json-schema.ts'
import { eventsPath } from './events.ts'
import { controlPath, keyHeader } from './paths.ts'
import { type Route, routes } from './routes.ts'
import { shapes } from './shapes.ts'

const text: Json = { type: 'string' }
const count: Json = { type: 'integer', minimum: 0 }
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const problem: Json = {
  description: 'The request cannot be used, is not allowed, or there is nothing of this name',
  content: {
    'application/problem+json': {
      schema: {
        type: 'object',
        properties: { type: text, title: text, status: count, detail: text },
        required: ['type', 'title', 'status', 'detail'],
      },
    },
  },
}

const describe = ({ method, path, summary, query = {}, body, answer }: Route): Json => ({
  operationId: `${method.toLowerCase()}${path.replaceAll(/[/{}.]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
  summary,
  parameters: [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: text,
    })),
    ...Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema: text })),
    { $ref: '#/components/parameters/session' },
  ],
  ...(body !== undefined && {
    requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } },
  }),
  responses: {
    ...(answer === undefined
      ? { 204: { description: 'Done' } }
      : { 200: { description: 'The answer', content: { 'application/json': { schema: ref(answer) } } } }),
    '4XX': { $ref: '#/components/responses/Problem' },
  },
})

const events: Json = {
  operationId: 'getEvents',
  summary:
    'What happens, as server-sent events: `requests` with new exchanges, `change` with what was changed',
  parameters: [{ $ref: '#/components/parameters/session' }],
  responses: {
    200: { description: 'A stream that goes on', content: { 'text/event-stream': { schema: text } } },
    '4XX': { $ref: '#/components/responses/Problem' },
  },
}

/** The OpenAPI 3.1 document of the control interface. */
export const controlDocument = (version: string): Json => {
  const paths: Record<string, Record<string, Json>> = { [eventsPath]: { get: events } }
  for (const route of routes) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = describe(route)
    paths[route.path] = path
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Control of plant-mock',
      version,
      summary: 'Asks a running mock about itself, and changes what it does.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `http://127.0.0.1:4010${controlPath}` }],
    security: [{}, { key: [] }],
    paths,
    components: {
      schemas: shapes,
      parameters: {
        session: {
          name: 'session',
          in: 'query',
          description: 'The session that is meant, if any; the header Plant-Mock-Session says the same.',
          schema: text,
        },
      },
      responses: { Problem: problem },
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: keyHeader } },
    },
  }
}
