import { operations } from '../../core/operations/operations.ts'
import { isPage, succeeded } from '../read/response.ts'
import { listRequest, namePrefix } from '../read/test-request.ts'
import { describe } from '../read/verdict.ts'
import type { CheckContext } from './check-context.ts'
import type { Client } from './client.ts'
import { InconclusiveError, insteadOf, NoResponseError } from './send-request.ts'

/** Refusals count only while valid requests succeed: a quota may be used up. */
export const createReliance = (client: Client) => {
  type Relying = { readonly refused: Client['lastRefused']; readonly discard: (reason: string) => void }
  const relying: Relying[] = []
  const isUnconfirmed = (kind: 'lists' | 'creates', { refused }: Relying) => refused[kind] > client.lastSucceeded[kind]
  return {
    /** @returns A function to call at the end of a rule or probe. It calls `discard` if the refusals do not count. */
    begin() {
      const before = { ...client.lastRefused }
      return (discard: Relying['discard']): void => {
        const { lists, creates } = client.lastRefused
        const refused = {
          lists: lists > before.lists ? lists : 0,
          creates: creates > before.creates ? creates : 0,
        }
        if (refused.lists > 0 || refused.creates > 0) relying.push({ refused, discard })
      }
    },
    async check({ samples }: CheckContext): Promise<void> {
      try {
        if (relying.some((one) => isUnconfirmed('lists', one))) {
          const list = await client.send(listRequest('?limit=1'))
          if (!succeeded(list) && client.lastSucceeded.lists > 0)
            client.stop(`lists no longer succeed (${list.status})`)
        }
        if (relying.some((one) => isUnconfirmed('creates', one))) {
          const { status } = await samples.create()
          const wasAccepted = client.lastSucceeded.creates > 0
          if (wasAccepted && status >= 400) client.createsStopped ??= `creates no longer succeed (${status})`
        }
      } finally {
        for (const one of relying) {
          if (isUnconfirmed('lists', one)) one.discard('no later list succeeds, so a refusal shows nothing')
          else if (isUnconfirmed('creates', one)) one.discard('no later create succeeds, so a refusal shows nothing')
        }
      }
    },
  }
}

/** Stops a check that could observe nothing: a wrong address or token, a maintenance page, an outage. */
export const checkUsable = async ({ client, samples, first }: CheckContext, baseUrl: string): Promise<void> => {
  if (first === undefined || (succeeded(first) && !isPage(first))) return
  const { status, headers } = first
  if (status >= 300 && status < 400)
    client.stop(`lists redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`)
  const mayCreate = !succeeded(first) && status !== 401 && client.canCreate
  if (mayCreate && (await samples.first().then(succeeded, insteadOf(false, NoResponseError, InconclusiveError)))) return
  if (status === 401 || status === 403) client.stop(`the token is not accepted: ${describe(first)}`)
  const { path } = operations.listPlants
  if (new URL(baseUrl).pathname.replace(/\/$/, '').endsWith(path))
    client.stop(`no list succeeds at ${baseUrl}${path} (${status}); leave out ${path} at the end of the address`)
  client.stop(
    status >= 500 ? `the service fails: ${describe(first)}` : `no list succeeds at this address: ${describe(first)}`,
  )
}

export const reasonToStop = (
  { client, samples }: CheckContext,
  signal: AbortSignal,
): { readonly incomplete?: string } => {
  const status = samples.refusal()
  const refused = `every plant with "${namePrefix}" in name or tag is refused (${status}); give another with --plant, optionally with a first id`
  const reason = signal.aborted ? 'it was stopped' : (client.stopped ?? client.createsStopped ?? (status && refused))
  return reason ? { incomplete: reason } : {}
}
