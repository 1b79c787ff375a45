import { lengthOf, succeeded } from '../../read/response.ts'
import { listRequest } from '../../read/test-request.ts'
import { passed, passedIfOk, skipped } from '../../read/verdict.ts'
import type { RuleChecks } from '../check-context.ts'
import { requireArray } from '../sample-lists.ts'

export const listChecks = {
  'list.succeeds': {
    // With a limit, because the contract leaves open whether the limit is optional.
    check: async ({ client, first }) => passedIfOk(first ?? (await client.send(listRequest('?limit=1')))),
  },
  'list.array': {
    async check({ samples }) {
      return succeeded(await samples.list()) ? passed : skipped('no list succeeds')
    },
  },
  'list.elements': {
    async check({ client, samples }) {
      const creation = client.canCreate ? await samples.first() : undefined
      const isCreated = creation !== undefined && succeeded(creation)
      const response = isCreated ? await samples.listUntil(creation.plant) : await samples.list()
      return requireArray(response).length === 0 ? skipped('the list is empty') : passed
    },
  },
  'list.json': {
    async check({ client }) {
      const list = await client.send(listRequest('?limit=1'))
      if (!succeeded(list)) return skipped('no list succeeds')
      return list.text === '' ? skipped('the body is empty') : passed
    },
  },
  'list.limit': {
    async check({ client, samples }) {
      if (client.canCreate && lengthOf(await samples.list()) < 3) {
        await samples.create()
        await samples.create()
        await samples.listUntil((await samples.create()).plant)
      }
      const plants = requireArray(await samples.list()).length
      if (plants < 2) return skipped('there are fewer than two plants to list')
      let isLimited = false
      for (const limit of [1, 2, 0])
        isLimited = succeeded(await client.send(listRequest(`?limit=${limit}`))) || isLimited
      return isLimited ? passed : skipped('no list with a limit succeeds')
    },
  },
} as const satisfies RuleChecks
