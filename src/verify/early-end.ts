import type { ConformanceOptions } from './options.ts'
import type { CheckContext } from './sample-plants.ts'
import { InconclusiveError, isPage, NoResponseError, succeeded } from './send-request.ts'
import { namePrefix } from './test-request.ts'
import { describe } from './verdict.ts'

/**
 * Leaves a service alone of which nothing can be seen: a wrong address or token, a page about maintenance, an outage.
 * Where only lists fail, a valid create succeeds, and the check goes on.
 */
export const checkUsable = async ({ client, samples, first }: CheckContext, baseUrl: string): Promise<void> => {
  if (first === undefined || (succeeded(first) && !isPage(first))) return
  const { status, headers } = first
  if (status >= 300 && status < 400)
    client.stop(`lists redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`)
  const mayCreate = !succeeded(first) && status !== 401 && client.canCreate
  if (mayCreate && (await samples.first().then(succeeded, isInconclusive))) return
  if (status === 401 || status === 403) client.stop(`the token is not accepted: ${describe(first)}`)
  if (/\/plants\/?$/.test(new URL(baseUrl).pathname))
    client.stop(`no list succeeds at ${baseUrl}/plants (${status}); leave out /plants at the end of the address`)
  client.stop(
    status >= 500 ? `the service fails: ${describe(first)}` : `no list succeeds at this address: ${describe(first)}`,
  )
}

/** @returns False for a reason why nothing was observed. @throws Any other error. */
const isInconclusive = (error: unknown): false => {
  if (error instanceof NoResponseError || error instanceof InconclusiveError) return false
  throw error
}

/** Why the check ended early, or could not create plants. */
export const reasonToStop = (
  { client, samples }: CheckContext,
  { plant, ids, signal }: ConformanceOptions,
): { readonly incomplete?: string } => {
  if (signal?.aborted) return { incomplete: 'it was stopped' }
  const stopped = client.stopped ?? client.createsStopped
  if (stopped !== undefined) return { incomplete: stopped }
  const status = samples.refusal()
  if (status === undefined) return {}
  const hints = [
    plant === undefined
      ? 'give one that the service accepts with --plant'
      : `"${namePrefix}" was added to the one of --plant`,
    ...(ids === undefined ? [plant === undefined ? 'ids with --ids' : 'give ids with --ids'] : []),
  ]
  return { incomplete: `every plant is refused (${status}); ${hints.join(plant === undefined ? ', and ' : '; ')}` }
}
