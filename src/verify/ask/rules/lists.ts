import { lengthOf, refused, succeeded } from '../../read/response.ts'
import { listRequest } from '../../read/test-request.ts'
import { failed, passed, passedIfOk, skipped } from '../../read/verdict.ts'
import type { Rules } from '../check-context.ts'
import { requireArray } from '../sample-lists.ts'

export const listRules = {
  'list.succeeds': {
    section: '4.2',
    statement: 'A caller with a bearer token can list plants.',
    // With a limit, because the contract leaves open whether the limit is optional.
    check: async ({ client, first }) => passedIfOk(first ?? (await client.send(listRequest('?limit=1')))),
  },
  'list.array': {
    section: '4.2',
    statement: 'A list is a JSON array.',
    async check({ samples }) {
      return succeeded(await samples.list()) ? passed : skipped('no list succeeds')
    },
  },
  'list.elements': {
    section: '2.2, 4.2',
    statement:
      'Each element of a list has exactly name and tag, both strings; a plant created without a tag may lack tag.',
    async check({ client, samples }) {
      const creation = client.canCreate ? await samples.first() : undefined
      const isCreated = creation !== undefined && succeeded(creation)
      const response = isCreated ? await samples.listUntil(creation.plant) : await samples.list()
      return requireArray(response).length === 0 ? skipped('the list is empty') : passed
    },
  },
  'list.json': {
    section: '1',
    statement: 'A list has a Content-Type of JSON.',
    async check({ client }) {
      return succeeded(await client.send(listRequest('?limit=1'))) ? passed : skipped('no list succeeds')
    },
  },
  'list.limit': {
    section: '4.2, 8',
    statement: 'A list never returns more plants than limit.',
    // Repeated at the end, when the store has the most plants.
    isRepeated: true,
    async check({ client, samples }) {
      if (client.canCreate && lengthOf(await samples.list()) < 3) {
        await samples.create()
        await samples.create()
        await samples.listUntil((await samples.create()).plant)
      }
      const plants = requireArray(await samples.list()).length
      if (plants < 2) return skipped('there are fewer than two plants to list')
      for (const limit of [1, 2, 0, ...limitsBelow(plants)]) {
        const response = await client.send(listRequest(`?limit=${limit}`))
        // The contract leaves open which limits are valid.
        if (!succeeded(response) && (limit === 0 || (limit > 1 && refused(response)))) continue
        if (!succeeded(response)) return passedIfOk(response)
        if (lengthOf(response) > limit) return failed(response, `limit=${limit} returns ${lengthOf(response)} plants`)
      }
      if (client.hasOther) await client.send(listRequest('?limit=1', 'other'))
      return passed
    },
  },
} as const satisfies Rules

/** From one below the number of plants down to 3: a service may ignore all large limits, or only medium limits. */
const limitsBelow = (plants: number): readonly number[] => {
  const limits: number[] = []
  for (let limit = plants - 1; limit > 2; limit = Math.floor(limit / 1.5)) limits.push(limit)
  return limits
}
