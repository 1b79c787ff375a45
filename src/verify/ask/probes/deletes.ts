import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { statusOf, unseen, valueIn } from '../../read/finding.ts'
import { deleteRequest } from '../../read/test-request.ts'
import type { CheckContext, Find } from '../check-context.ts'
import { requireCreated } from '../sample-creates.ts'
import { findDuplicateId } from './creates.ts'

/**
 * Deletes a plant that the check has created. A service that ignores the ids of creates might have another plant with
 * this id, so the probe first needs a service that noticed a repeated id.
 */
const deleted = async (context: CheckContext) => {
  const { client, samples, findings } = context
  requireCreated(await samples.first())
  const onDuplicate = valueIn(findings.get('create.duplicateId') ?? (await findDuplicateId(context)))
  if (onDuplicate === undefined || onDuplicate === 'accept')
    return { reason: 'the service did not show that it uses the ids of creates, so nothing is deleted' }
  const plant = samples.created.at(-1)
  if (plant === undefined) return { reason: 'no plant was created' }
  return { id: plant.id, response: await client.send(deleteRequest(plant.id)) }
}

export const findDelete: Find<Assumptions['operation.delete']> = async (context) => {
  const { reason, response } = await deleted(context)
  if (response === undefined) return unseen(reason)
  return [404, 405, 501].includes(response.status) ? 'none' : statusOf('operation.delete', response)
}

/** Deletes a plant twice. */
export const findMissingStatus: Find<Assumptions['delete.missingStatus']> = async (context) => {
  const known = valueIn(context.findings.get('operation.delete') ?? (await findDelete(context)))
  if (known === undefined || known === 'none') return unseen('no delete succeeds')
  const { reason, id } = await deleted(context)
  if (id === undefined) return unseen(reason)
  return statusOf('delete.missingStatus', await context.client.send(deleteRequest(id)))
}
