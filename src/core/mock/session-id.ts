import { PlantMockError } from '../../util/errors.ts'

/** The header that selects a session, as `Exchange.header` takes it. */
export const sessionHeader = 'plant-mock-session'

const maxSessionId = 200

/**
 * Validates a session id: text that a header can carry (RFC 9110, 5.5), so that every session can be reached over HTTP.
 * @throws PlantMockError for an invalid id.
 */
export const checkSessionId = (id: string): void => {
  if (typeof id === 'string' && id.length <= maxSessionId && /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(id))
    return
  throw new PlantMockError(`Invalid session id. Use 1 to ${maxSessionId} ASCII characters, without spaces at the ends.`)
}
