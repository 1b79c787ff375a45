import type { Client } from './client.ts'
import type { CheckContext } from './sample-plants.ts'
import { InconclusiveError, insteadOf, isPage, NoResponseError, succeeded } from './send-request.ts'
import { listRequest, namePrefix } from './test-request.ts'
import { describe } from './verdict.ts'

/**
 * Refusals show something only as long as valid requests succeed: a quota may be used up. The requests of later rules
 * and probes show that for those before, so that few more are needed.
 */
export const createReliance = (client: Client) => {
  type Relying = { readonly refused: Client['lastRefused']; readonly discard: (reason: string) => void }
  const relying: Relying[] = []
  const isUnconfirmed = (method: 'GET' | 'POST', { refused }: Relying) => refused[method] > client.lastSucceeded[method]
  return {
    /** @returns A function that ends a rule or probe; `discard` is called if its refusals show nothing. */
    begin() {
      const before = { ...client.lastRefused }
      return (discard: Relying['discard']): void => {
        const { GET, POST } = client.lastRefused
        const refused = { GET: GET > before.GET ? GET : 0, POST: POST > before.POST ? POST : 0 }
        if (refused.GET > 0 || refused.POST > 0) relying.push({ refused, discard })
      }
    },
    async check({ samples }: CheckContext): Promise<void> {
      try {
        if (relying.some((one) => isUnconfirmed('GET', one))) {
          const list = await client.send(listRequest('?limit=1'))
          if (!succeeded(list) && client.lastSucceeded.GET > 0) client.stop(`lists no longer succeed (${list.status})`)
        }
        if (relying.some((one) => isUnconfirmed('POST', one))) {
          const { status } = await samples.create()
          const wasAccepted = client.lastSucceeded.POST > 0
          if (wasAccepted && status >= 400) client.createsStopped ??= `creates no longer succeed (${status})`
        }
      } finally {
        for (const one of relying) {
          if (isUnconfirmed('GET', one)) one.discard('no later list succeeds, so a refusal shows nothing')
          else if (isUnconfirmed('POST', one)) one.discard('no later create succeeds, so a refusal shows nothing')
        }
      }
    },
  }
}

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
  if (mayCreate && (await samples.first().then(succeeded, insteadOf(false, NoResponseError, InconclusiveError)))) return
  if (status === 401 || status === 403) client.stop(`the token is not accepted: ${describe(first)}`)
  if (/\/plants\/?$/.test(new URL(baseUrl).pathname))
    client.stop(`no list succeeds at ${baseUrl}/plants (${status}); leave out /plants at the end of the address`)
  client.stop(
    status >= 500 ? `the service fails: ${describe(first)}` : `no list succeeds at this address: ${describe(first)}`,
  )
}

/** Why the check ended early, or could not create plants. */
export const reasonToStop = (
  { client, samples }: CheckContext,
  signal: AbortSignal,
): { readonly incomplete?: string } => {
  const status = samples.refusal()
  const refused = `every plant is refused (${status}), with "${namePrefix}" in its name or tag; give another with --plant, if need be with a first id`
  const reason = signal.aborted ? 'it was stopped' : (client.stopped ?? client.createsStopped ?? (status && refused))
  return reason ? { incomplete: reason } : {}
}
