import { succeeded } from '../../read/response.ts'
import type { Row } from '../check-context.ts'
import { requireCreated } from '../sample-creates.ts'
import { requireArray } from '../sample-lists.ts'

const minPlants = 6
/** In milliseconds. With timestamps in whole seconds, a secondary key decides the order within a second. */
const second = 1_100

/** Lists at least `minPlants` plants, also with a plant created in a later second. */
export const sendOrder: Row = async ({ client, samples }) => {
  while (client.canCreate && samples.created.length < minPlants) requireCreated(await samples.create())
  const newest = samples.created.at(-1)
  // A plant created just before may be missing from the next lists.
  if (newest !== undefined) await samples.listUntil(newest)
  for (let lists = 0; lists < 3; lists++) requireArray(await samples.list())
  if (!client.canCreate) return
  await client.options.wait(second)
  const creation = await samples.create()
  if (!succeeded(creation)) return
  await samples.listUntil(creation.plant)
  await samples.list()
}
