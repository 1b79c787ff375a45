import type { Assumptions } from '../../core/assumptions/registry.ts'
import { type Find, partial, statusOf, unseen } from '../finding.ts'
import { optionsRequest, otherMethod } from '../test-request.ts'

/**
 * Sends safe methods alone, and concludes from them about PUT, PATCH and DELETE only as far as HTTP does: with 405, the
 * path decides, and `Allow` names all methods that it takes (RFC 9110, 15.5.6); with 501, the method is unknown (15.6.2).
 */
export const findOtherMethods: Find<Assumptions['operation.other']> = async ({ client }) => {
  const response = await client.send(otherMethod('caller'))
  const { status, headers } = response
  const found = statusOf('operation.other', response)
  if (typeof found === 'object' && 'unseen' in found) return found
  const allowed = headers.get('allow')
  if (status === 405 && allowed !== null)
    return partial(found, /\b(?:PUT|PATCH|DELETE)\b/.test(allowed) ? 'PROPFIND' : undefined)
  const known = await client.send(optionsRequest('caller'))
  if (known.status === status) return found
  if (status === 501)
    return unseen(
      `PROPFIND is unknown (501), OPTIONS returns ${known.status}; neither shows what PUT or DELETE returns`,
    )
  return partial(found, 'PROPFIND')
}
