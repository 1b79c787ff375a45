import { isBearerToken } from '../contract/schemas.ts'
import { PlantMockError } from '../util/errors.ts'

/**
 * Parses the text of an option.
 * @param label The flag or environment variable that holds the text; error messages name it.
 * @throws PlantMockError when the text is not a valid value.
 */
export type ParseValue<T> = (value: string, label: string) => T

export const text: ParseValue<string> = (value) => value

/** The value of a switch: false for an empty text, `0` and `false`. */
export const isOn: ParseValue<boolean> = (value) => !['', '0', 'false'].includes(value)

/** @param expected The valid values in words, for the error message. */
export const integer =
  (min: number, max: number, expected: string): ParseValue<number> =>
  (value, label) => {
    const number = Number(value)
    if (/^-?\d+$/.test(value) && number >= min && number <= max) return number
    throw new PlantMockError(`${label} must be ${expected}, not "${value}".`)
  }

export const oneOf =
  <T extends string>(...words: readonly T[]): ParseValue<T> =>
  (value, label) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    throw new PlantMockError(`${label} must be one of ${words.join(', ')}, not "${value}".`)
  }

/** RFC 6750, 2.1. The message does not repeat the value, which may be a mistyped secret. */
export const token: ParseValue<string> = (value, label) => {
  if (isBearerToken(value)) return value
  throw new PlantMockError(
    `${label} is not a valid bearer token. Use letters, digits and -._~+/, then any number of =.`,
  )
}

/** A header field as name and value (RFC 9110, 5). */
export const header: ParseValue<readonly [name: string, value: string]> = (value, label) => {
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(value)
  if (match === null) throw new PlantMockError(`${label} must have the form NAME:VALUE, such as X-Team:frontend.`)
  return [match[1] ?? '', match[2] ?? '']
}

const checkModes = oneOf('report', 'strict')

/** The mode of `--check`, which is `report` unless given. */
export const checkMode: ParseValue<'report' | 'strict'> = (value, label) =>
  ['true', '1'].includes(value) ? 'report' : checkModes(value, label)

/** Milliseconds, or their minimum and maximum. */
export const latency: ParseValue<number | readonly [min: number, max: number]> = (value, label) => {
  const [, min, max] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(value) ?? []
  if (min === undefined || (max !== undefined && Number(max) < Number(min)))
    throw new PlantMockError(`${label} must be milliseconds such as 300, or a range such as 100-800, not "${value}".`)
  return max === undefined ? Number(min) : [Number(min), Number(max)]
}

/** A number from 0 to 1. */
export const share: ParseValue<number> = (value, label) => {
  if (/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(value)) return Number(value)
  throw new PlantMockError(`${label} must be a number from 0 to 1, such as 0.1, not "${value}".`)
}

/** The message does not repeat the key, which is a secret. */
export const controlKey: ParseValue<string> = (value, label) => {
  if (/^[\x21-\x7E]{8,}$/.test(value)) return value
  throw new PlantMockError(`${label} must have at least 8 printable ASCII characters and no spaces.`)
}
