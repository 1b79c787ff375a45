import type { Json } from '../../core/contract/json-schema.ts'
import { controlPath, keyHeader } from './paths.ts'
import type { Route } from './route.ts'
import { ref, shapes, text, wholeNumber } from './shapes.ts'

const problemSchema: Json = {
  type: 'object',
  properties: { type: text, title: text, status: wholeNumber, detail: text },
  required: ['type', 'title', 'status', 'detail'],
}

const success = (response: Route['response']): Json => {
  if (response === undefined) return { 204: { description: 'Done' } }
  const [description, type] =
    response === 'Events' ? ['A stream without end', 'text/event-stream'] : ['The result', 'application/json']
  return { 200: { description, content: { [type]: { schema: ref(response) } } } }
}

/** `POST /snapshots/{name}/restore` is the operation `postSnapshotsNameRestore`. */
const operationIdOf = ({ method, path }: Route): string =>
  `${method.toLowerCase()}${path.replaceAll(/[/{}.]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`

const operationOf = (route: Route): Json => ({
  operationId: operationIdOf(route),
  summary: route.summary,
  parameters: [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text })),
    ...Object.entries(route.query ?? {}).map(([name, { description, schema }]) => ({
      name,
      in: 'query',
      description,
      schema,
    })),
    { $ref: '#/components/parameters/session' },
  ],
  ...(route.body !== undefined && {
    requestBody: { required: true, content: { 'application/json': { schema: ref(route.body) } } },
  }),
  responses: { ...success(route.response), '4XX': { $ref: '#/components/responses/Problem' } },
})

const pathsOf = (routes: readonly Route[]): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  return paths
}

export const controlDocument = (routes: readonly Route[], version: string): Json => ({
  openapi: '3.1.1',
  info: {
    title: 'Control interface of plant-mock',
    version,
    summary: 'Inspects and controls a running mock.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: `http://127.0.0.1:4010${controlPath}` }],
  security: [{}, { key: [] }],
  paths: pathsOf(routes),
  components: {
    schemas: shapes,
    parameters: {
      session: {
        name: 'session',
        in: 'query',
        description: 'Selects a session, like the header Plant-Mock-Session.',
        schema: text,
      },
    },
    responses: {
      Problem: {
        description: 'The request is refused, is invalid, or names something unknown',
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: keyHeader } },
  },
})
