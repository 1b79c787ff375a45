import { contractSections } from '../../contract/sections.ts'
import type { RouteTable } from '../route.ts'

/** The contract of the service. */
export const contractRoutes: RouteTable = {
  'GET /contract': {
    summary: 'The OpenAPI document of the service under the assumptions in force',
    response: 'Document',
    run: async ({ instance, version }) => {
      const { openApiDocument } = await import('../../operations/openapi.ts')
      return openApiDocument(instance.inForce, version)
    },
  },
  'GET /contract/sections': {
    summary: 'The sections of the contract that can be cited, with their text',
    response: 'Sections',
    run: () => ({ sections: contractSections() }),
  },
}
