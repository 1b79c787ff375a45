import { PlantMockError } from './errors.ts'
import { suggestion } from './words.ts'

/** The names of all options of a function. A name that is missing here does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>

/**
 * Refuses an unknown option: JavaScript, and TypeScript for an object that it has seen before, let a misspelt one pass, and
 * it would have no effect. An option that is `undefined` counts as missing.
 * @param taker The function that takes the options, for the message.
 * @param otherNames What other libraries call an option.
 * @throws PlantMockError that names the closest option, or all of them.
 */
export const checkOptions = <Options extends object>(
  given: Options,
  known: OptionNames<Options>,
  taker: string,
  otherNames: Readonly<Record<string, keyof Options & string>> = {},
): void => {
  if (typeof given !== 'object' || given === null)
    throw new PlantMockError(`The options of ${taker} must be an object such as { ${Object.keys(known)[0]}: … }.`)
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const [name] = unknown
  const other = Object.hasOwn(otherNames, name) ? ` Did you mean "${otherNames[name]}"?` : ''
  const hint = other || suggestion(name, Object.keys(known)) || ` Options are ${Object.keys(known).join(', ')}.`
  throw new PlantMockError(`Unknown option "${name}" of ${taker}.${hint}`)
}
