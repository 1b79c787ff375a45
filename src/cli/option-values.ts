import { isBearerToken } from '../core/contract/schemas.ts'
import { isOrigin, schemeHint } from '../core/http/address.ts'
import { tokenPattern } from '../core/http/headers.ts'
import { controlKeyRule, isControlKey } from '../server/control/paths.ts'
import { PlantMockError } from '../util/errors.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { isSample, type SampleOption } from '../verify/ask/sample-options.ts'

export type ParseValue<T> = (text: string, flagOrVariable: string) => T

const parser =
  <T>(parse: (text: string) => T | undefined, expected: string, hint = (_: string) => ''): ParseValue<T> =>
  (text, label) => {
    const value = parse(text)
    if (value !== undefined) return value
    throw new PlantMockError(`${label} must be ${expected}, not "${text}".${hint(text)}`)
  }

export const anyText: ParseValue<string> = (text) => text

export const isOn: ParseValue<boolean> = (text) => !['', '0', 'false'].includes(text)

export const integer = (min: number, max: number, expected: string): ParseValue<number> =>
  parser((text) => {
    const number = Number(text)
    return /^-?\d+$/.test(text) && number >= min && number <= max ? number : undefined
  }, expected)

export const oneOf = <T extends string>(...words: readonly T[]): ParseValue<T> =>
  parser((text) => words.find((word) => word === text), `one of ${words.join(', ')}`)

const checkModes = oneOf('report', 'strict')

export const checkMode: ParseValue<'report' | 'strict'> = (text, label) =>
  ['true', '1'].includes(text) ? 'report' : checkModes(text, label)

export const latency = parser<number | readonly [min: number, max: number]>((text) => {
  const [, min, max] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text) ?? []
  if (min === undefined || (max !== undefined && Number(max) < Number(min))) return undefined
  return max === undefined ? Number(min) : [Number(min), Number(max)]
}, 'milliseconds such as 300, or a range such as 100-800')

export const share = parser(
  (text) => (/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(text) ? Number(text) : undefined),
  'a number from 0 to 1, such as 0.1',
  (text) =>
    /^\d{1,2}%?$/.test(text) ? ` For ${Number.parseInt(text, 10)} %: ${Number.parseInt(text, 10) / 100}.` : '',
)

const headerField = new RegExp(String.raw`^(${tokenPattern}):[ \t]*(.*)$`)

export const header: ParseValue<readonly [name: string, value: string]> = (text, label) => {
  const [, name, value = ''] = headerField.exec(text) ?? []
  if (name !== undefined) return [name, value]
  throw new PlantMockError(`${label} must have the form NAME:VALUE, such as X-Team:frontend.`)
}

/** The error message does not repeat the token, which may be a mistyped secret. */
export const token: ParseValue<string> = (text, label) => {
  if (isBearerToken(text)) return text
  throw new PlantMockError(
    `${label} is not a valid bearer token. Use letters, digits and -._~+/, then any number of =.`,
  )
}

export const controlKey: ParseValue<string> = (text, label) => {
  if (isControlKey(text)) return text
  throw new PlantMockError(`${label} ${controlKeyRule}.`)
}

/** Also accepts `null`, the origin that browsers send for a page without an origin. */
export const origin: ParseValue<string> = (text, label) => {
  if (isOrigin(text)) return text.toLowerCase()
  throw new PlantMockError(
    `${label} must be an origin such as https://app.example.com, without a path or wildcard.${schemeHint(text)}`,
  )
}

export const samplePlant: ParseValue<SampleOption> = (text, label) => {
  const plant = jsonOrUndefined(text)
  if (isJsonObject(plant) && isSample(plant)) return plant
  throw new PlantMockError(
    `${label} must be a JSON object with name, tag or a first id, such as {"tag":"indoor","id":1000}.`,
  )
}
