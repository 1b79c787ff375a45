import { refused, succeeded, type TestResponse } from '../../read/response.ts'
import { listRequest } from '../../read/test-request.ts'
import { describe, failed, passed, skipped } from '../../read/verdict.ts'
import type { RuleChecks } from '../check-context.ts'
import { requireCreated } from '../sample-creates.ts'
import { requireArray } from '../sample-lists.ts'
import { insteadOf, NoResponseError } from '../send-request.ts'

export const accessChecks = {
  'list.access': {
    async check({ client, samples }) {
      const { plant } = requireCreated(await samples.first())
      const label = samples.labelOf(plant)
      const own = await samples.listUntil(plant)
      const list = await samples.list('other')
      // A service may check the caller only with a limit, or only without a limit.
      const unlimited = await unlessSilent(client.send(listRequest('', 'other')))
      for (const response of [list, unlimited])
        if (response !== undefined && succeeded(response) && mentions(response, samples.keyOf(plant)))
          return failed(response, `the other caller sees "${label}"`)
      if (!succeeded(list)) return skipped(`the service shows the other caller no list: ${describe(list)}`)
      // If a list is an object or shows no names, the absence of the plant means nothing.
      requireArray(own)
      requireArray(list)
      if (!samples.shows(own, plant)) {
        await samples.requireComplete(own)
        return skipped(`its creator does not see "${label}" either`)
      }
      await samples.requireComplete(list)
      return passed
    },
  },
  'auth.list': {
    async check({ client }) {
      const response = await unlessSilent(client.send(listRequest('?limit=1', 'anonymous')))
      if (response === undefined) return skipped(silence)
      if (!isRefusedWithoutToken(response)) return skipped(`without a token ${describe(response)}`)
      const isListed = succeeded(await client.send(listRequest('?limit=1')))
      return isListed ? passed : skipped('a list does not succeed with a token either')
    },
  },
  'auth.create': {
    async check({ samples }) {
      const response = await unlessSilent(samples.sendChanged((plant) => plant, { as: 'anonymous' }))
      if (response === undefined) return skipped(silence)
      const { plant } = response
      const isOk = response.status >= 200 && response.status < 300
      if (!isOk && !isRefusedWithoutToken(response)) return skipped(`without a token ${describe(response)}`)
      // A list that shows a later plant would also show `plant`.
      const later = await samples.create()
      if (!succeeded(later)) return skipped('a create does not succeed with a token either')
      const list = await samples.listUntil(later.plant)
      if (samples.shows(list, plant)) return failed(response, 'it is refused, but the plant is stored')
      if (isOk) return skipped(`without a token ${describe(response)}`)
      if (samples.shows(list, later.plant)) return passed
      await samples.requireComplete(list)
      return skipped(`its creator does not see "${samples.labelOf(later.plant)}" either`)
    },
  },
} as const satisfies RuleChecks

const silence = 'without a token there is no response'

const mentions = ({ text }: TestResponse, key: string | undefined): boolean =>
  key !== undefined && text.toLowerCase().replaceAll(/\s+/g, ' ').includes(key)

/** Whether a request without a token was refused. A server error says nothing about tokens. */
const isRefusedWithoutToken = (response: TestResponse): boolean =>
  (response.status >= 300 && response.status < 400) || refused(response)

/** `undefined` without a response: a gateway may drop requests without a token. */
const unlessSilent = <Response>(response: Promise<Response>): Promise<Response | undefined> =>
  response.catch(insteadOf(undefined, NoResponseError))
