import { lengthOf, succeeded } from '../../read/response.ts'
import { describe, excerpt, failed, passed, passedIfOk, type RuleVerdict, skipped } from '../../read/verdict.ts'
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
      for (const { plant } of await createdPlants(context)) {
        const list = await samples.listUntil(plant)
        if (samples.shows(list, plant)) continue
        await samples.requireComplete(list)
        const label = excerpt(samples.labelOf(plant) ?? '')
        return failed(list, `"${label}" is not among the ${lengthOf(list)} listed plants`)
      }
      return keepsTwins(context)
    },
  },
} as const satisfies RuleChecks

/**
 * Whether a service keeps two plants with the same name and tag. Repeats a plant whose label is in the other field:
 * the probe of `list.order` ignores such a plant.
 */
const keepsTwins = async (context: CheckContext): Promise<RuleVerdict> => {
  const { samples } = context
  const isMoved = ({ plant }: Creation): boolean => samples.recognise(plant) === undefined
  const moved = (await createdPlants(context)).find(isMoved)
  if (moved === undefined || !succeeded(await samples.sendTwin(moved.plant))) return passed
  const { list, hasBoth } = await samples.hasTwins(moved.plant)
  if (hasBoth) return passed
  const isTruncated = await samples.requireComplete(list).then(() => false, insteadOf(true, InconclusiveError))
  return isTruncated ? passed : failed(list, 'of two created plants with the same name and tag, it lists one')
}

/** Skips refused creates, because the contract leaves open which values are allowed (2.4). */
const createdPlants = async ({ samples }: CheckContext): Promise<readonly Creation[]> => {
  const first = requireCreated(await samples.first())
  const { creations } = await samples.delicate()
  return [first, ...creations.filter(succeeded)]
}
