import { isShownPlant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'

/** A plant with `name` and `tag` alone, so that they are still compared; anything else as it is. */
export const shownPart = (json: unknown): unknown => {
  if (!isJsonObject(json)) return json
  const shown = Object.fromEntries(Object.entries(json).filter(([key]) => key === 'name' || key === 'tag'))
  return isShownPlant(shown) ? shown : json
}
