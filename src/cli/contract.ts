import { openApiDocument } from '../operations/openapi.ts'
import { assumptionsOf } from './assumption-settings.ts'
import type { Run } from './run.ts'

/** `plant-mock contract`: the OpenAPI document, under the assumptions given. */
export const contract: Run = async (line, { out, environment }, version) => {
  const { assumptions } = await assumptionsOf(line, environment)
  out(`${JSON.stringify(openApiDocument(assumptions, version), null, 2)}\n`)
  return 0
}
