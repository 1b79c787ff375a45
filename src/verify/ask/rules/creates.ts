import { succeeded } from '../../read/response.ts'
import { describe, failed, passed, passedIfOk, skipped } from '../../read/verdict.ts'
import type { CheckContext, RuleChecks } from '../check-context.ts'
import { type Creation, isAboutPlant, requireCreated } from '../sample-creates.ts'
import { InconclusiveError, insteadOf } from '../send-request.ts'

export const createChecks = {
  'create.succeeds': {
    async check({ samples }) {
      const creation = await samples.first()
      if (isAboutPlant(creation)) return skipped(describe(creation))
      if (!succeeded(creation)) return passedIfOk(creation)
      const { creations, crash } = await samples.delicate()
      if (crash !== undefined) return failed(crash, crash.message)
      return passedIfOk(creations.find(({ status }) => status >= 500) ?? creation)
    },
  },
  'create.shape': {
    async check(context) {
      await createdPlants(context)
      return passed
    },
  },
  'create.json': {
    async check({ samples }) {
      return requireCreated(await samples.first()).text === '' ? skipped('the body is empty') : passed
    },
  },
  'create.stored': {
    async check(context) {
      const { samples } = context
      const plants = (await createdPlants(context)).map(({ plant }) => plant)
      const lost = await samples.findMissing(plants)
      if (lost !== undefined) return failed(lost.list, `"${lost.label}" is not among the ${lost.length} listed plants`)
      // A plant whose label is in the other field.
      const moved = plants.find((plant) => samples.idOf(plant) === undefined)
      if (moved === undefined || !succeeded(await samples.sendTwin(moved))) return passed
      const twin = await samples.findMissing([moved], { copies: 2 }).catch(insteadOf(undefined, InconclusiveError))
      return twin ? failed(twin.list, 'of two created plants with the same name and tag, it lists one') : passed
    },
  },
} as const satisfies RuleChecks

/** Skips refused creates, because the contract leaves open which values are allowed (2.4). */
const createdPlants = async ({ samples }: CheckContext): Promise<readonly Creation[]> => {
  const first = requireCreated(await samples.first())
  const { creations } = await samples.delicate()
  return [first, ...creations.filter(succeeded)]
}
