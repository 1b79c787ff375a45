import { lengthOf, succeeded } from '../../read/response.ts'
import { describe, excerpt, failed, passed, passedIfOk, skipped, type Verdict } from '../../read/verdict.ts'
import type { CheckContext, Rules } from '../check-context.ts'
import { type Creation, isAboutPlant, requireCreated } from '../sample-creates.ts'
import { InconclusiveError, insteadOf } from '../send-request.ts'

export const createRules = {
  'create.succeeds': {
    section: '4.1',
    statement: 'A caller with a bearer token can add a plant.',
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
    section: '2.1, 4.1',
    statement: 'A create returns exactly name and tag, as they were sent.',
    async check(context) {
      await createdPlants(context)
      return passed
    },
  },
  'create.json': {
    section: '1',
    statement: 'A create response has a Content-Type of JSON.',
    async check({ samples }) {
      return requireCreated(await samples.first()).text === '' ? skipped('the body is empty') : passed
    },
  },
  'create.stored': {
    section: '4.1',
    statement: 'A created plant is stored with its name and tag: its creator can list it.',
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
} as const satisfies Rules

/**
 * Whether a service keeps two plants with the same name and tag. Repeats a plant whose label is in the other field:
 * the probe of `list.order` ignores such a plant.
 */
const keepsTwins = async (context: CheckContext): Promise<Verdict> => {
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
