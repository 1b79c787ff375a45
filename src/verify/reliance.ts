import type { Client } from './client.ts'
import type { CheckContext } from './sample-plants.ts'
import { succeeded } from './send-request.ts'
import { listRequest } from './test-request.ts'

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
