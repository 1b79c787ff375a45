import { PlantMockError } from '../util/errors.ts'

/** The header that chooses a session, in the spelling of `Exchange.header`. */
export const sessionHeader = 'plant-mock-session'

const longestId = 200

/**
 * A session's id is what a header can carry (RFC 9110, 5.5), so that each session can be reached over HTTP.
 * @throws PlantMockError for any other.
 */
export const checkSessionId = (id: string): void => {
  if (id.length <= longestId && /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(id)) return
  throw new PlantMockError(
    `A session cannot have this id: it may have 1 to ${longestId} ASCII characters, spaces only between others.`,
  )
}
