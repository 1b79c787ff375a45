import { contractSections } from '../../../core/contract/sections.ts'
import type { Route, RouteTable } from '../route.ts'

/**
 * The control interface about itself and the contract.
 * @param routes All routes, these included: a function, because their table is built from this one.
 */
export const interfaceRoutes = (routes: () => readonly Route[]): RouteTable => ({
  'GET /': {
    summary: 'Lists these routes',
    response: 'Index',
    run: ({ version }) => ({
      name: 'plant-mock',
      version,
      routes: routes().map(({ method, path, summary }) => ({ method, path, summary })),
    }),
  },
  'GET /health': {
    summary: 'Says that the server is ready; needs no key',
    isOpen: true,
    response: 'Health',
    run: () => ({ ready: true }),
  },
  'GET /openapi.json': {
    summary: 'The OpenAPI document of these routes',
    response: 'Document',
    run: async ({ version }) => {
      const { controlDocument } = await import('../openapi.ts')
      return controlDocument(routes(), version)
    },
  },
  'GET /contract': {
    summary: 'The OpenAPI document of the service',
    response: 'Document',
    run: async ({ instance, version }) => {
      const { openApiDocument } = await import('../../../core/operations/openapi.ts')
      return openApiDocument(instance.inForce, version)
    },
  },
  'GET /contract/sections': {
    summary: 'The sections of the contract with their text',
    response: 'Sections',
    run: () => ({ sections: contractSections() }),
  },
})
