import { PlantMockError } from '../../util/errors.ts'

/** The header that selects a session, as `Exchange.header` takes it. */
export const sessionHeader = 'plant-mock-session'

const maxSessionId = 200

/** Text that a header can carry (RFC 9110, 5.5) and a path can name, so that every session can be reached over HTTP. */
export const isSessionId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id.length <= maxSessionId &&
  /^(?!\.{1,2}$)[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(id)

/** @throws PlantMockError for an invalid id. */
export const checkSessionId = (id: string): void => {
  if (isSessionId(id)) return
  throw new PlantMockError(
    `Invalid session id. Use 1 to ${maxSessionId} ASCII characters, without spaces at the ends, other than . and ..`,
  )
}
