import { PlantMockError } from './errors.ts'
import { suggestion } from './words.ts'

const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0

const isList = (value: unknown): boolean => isObject(value) && Symbol.iterator in value

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const kinds = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  switch: ['true or false', (value: unknown) => typeof value === 'boolean'],
  number: ['a finite number', Number.isFinite],
  amount: ['a number, 0 or more', isAmount],
  count: ['a whole number, 0 or more', (value: unknown) => isAmount(value) && !(value % 1)],
  port: ['a port from 0 to 65535', (value: unknown) => /^\d{1,5}$/.test(`${value}`) && Number(value) <= 65_535],
  list: ['an array', isList],
  object: ['an object', (value: unknown) => isObject(value) && !isList(value)],
  function: ['a function', (value: unknown) => typeof value === 'function'],
} as const satisfies Record<string, readonly [words: string, test: (value: unknown) => boolean]>

type OptionKind = keyof typeof kinds

export type OptionNames<Options> = Readonly<Record<keyof Options, true | OptionKind>>

/** Refuses unknown options, because they may be misspelt. Messages omit values, which may be tokens. */
export const checkOptions = <Options extends object>(
  given: Options,
  known: OptionNames<Options>,
  taker: string,
  otherNames: Readonly<Record<string, keyof Options & string>> = {},
): void => {
  if (!isObject(given))
    throw new PlantMockError(`The options of ${taker} must be an object such as { ${Object.keys(known)[0]}: … }.`)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!Object.hasOwn(known, name)) throw unknownOption(name, known, taker, otherNames)
    const kind = known[name as keyof Options] as true | OptionKind
    if (kind !== true && !kinds[kind][1](value))
      throw new PlantMockError(`The option ${name} of ${taker} must be ${kinds[kind][0]}.`)
  }
}

const unknownOption = (name: string, known: object, taker: string, otherNames: Readonly<Record<string, string>>) => {
  const other = Object.hasOwn(otherNames, name) ? ` Did you mean "${otherNames[name]}"?` : ''
  const hint = other || suggestion(name, Object.keys(known)) || ` Options are ${Object.keys(known).join(', ')}.`
  return new PlantMockError(`Unknown option "${name}" of ${taker}.${hint}`)
}
