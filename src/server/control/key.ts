import { PlantMockError } from '../../util/errors.ts'

/** Whether a text may be a control key: long enough not to be guessed, and safe in a header. */
export const isControlKey = (text: string): boolean => /^[\x21-\x7E]{8,}$/.test(text)

/** The rule for messages, which do not repeat the key, because it is a secret. */
export const controlKeyRule = 'must have at least 8 printable ASCII characters and no spaces'

/**
 * Checks a control key. An empty one, such as that of `process.env.KEY ?? ''`, would protect nothing.
 * @param label Names the option.
 * @throws PlantMockError for anything but a key or `undefined`.
 */
export const checkControlKey = (key: string | undefined, label: string): string | undefined => {
  if (key === undefined || (typeof key === 'string' && isControlKey(key))) return key
  throw new PlantMockError(`${label} ${controlKeyRule}. Leave it out for none.`)
}
