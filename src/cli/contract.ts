import { parseAssume } from '../contract/assume.ts'
import { defaultAssumptions } from '../contract/assumptions.ts'
import { openApiDocument } from '../contract/openapi.ts'
import type { Run } from './run.ts'

/** `plant-mock contract`: the OpenAPI document, under the assumptions given. */
export const contract: Run = async ({ assume = [] }, { out }, version) => {
  const document = openApiDocument({ ...defaultAssumptions, ...parseAssume(assume) }, version)
  out(`${JSON.stringify(document, null, 2)}\n`)
  return 0
}
