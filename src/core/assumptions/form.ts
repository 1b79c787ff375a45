export type AssumptionValue = string | number

/** Values with a parameter, such as `clamp:50`: their parser, their meaning, and their JSON Schema. */
export type Form<Value extends AssumptionValue = AssumptionValue> = {
  /** How the values are written, such as `clamp:N`. */
  readonly shown: string
  /** Texts with a parameter that mean a value without one: `clamp:100` means `clamp`. */
  readonly aliases?: Readonly<Record<string, AssumptionValue>>
  /** Typical values to try. */
  readonly samples: readonly Value[]
  readonly parse: (text: string) => Value | undefined
  /** Why a text is invalid, if the form does not show it; otherwise `undefined`. */
  readonly refusal?: (text: string) => string | undefined
  meaning(value: Value): string
  readonly schema: object
}

type Described<Value extends AssumptionValue> = Omit<Form<Value>, 'parse' | 'schema'>

export const wholeNumber = ({
  min,
  max = Number.MAX_SAFE_INTEGER,
  ...form
}: Described<number> & { readonly min: number; readonly max?: number }): Form<number> => ({
  ...form,
  parse: (text) => parseWhole(text, min, max),
  schema: { type: 'integer', minimum: min, maximum: max },
})

const parseWhole = (text: string, min: number, max: number): number | undefined => {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

/** Values such as `clamp:50`. @param kinds Maps the text before the colon to the meaning of the value. */
export const counted = <const Kind extends string>({
  kinds,
  min,
  ...form
}: Pick<Form, 'aliases'> & {
  readonly kinds: Readonly<Record<Kind, (count: number) => string>>
  readonly min: number
  readonly samples: readonly NoInfer<`${Kind}:${number}`>[]
}): Form<`${Kind}:${number}`> => {
  const names = Object.keys(kinds) as Kind[]
  return {
    ...form,
    shown: names.map((kind) => `${kind}:N`).join(' or '),
    parse(text) {
      const [kind = '', digits = ''] = text.split(/:(.*)/s)
      const count = parseWhole(digits, min, Number.MAX_SAFE_INTEGER)
      return count === undefined || !Object.hasOwn(kinds, kind) ? undefined : `${kind as Kind}:${count}`
    },
    meaning: (value) => kinds[value.slice(0, value.indexOf(':')) as Kind](countIn(value)),
    schema: { type: 'string', pattern: `^(${names.join('|')}):[0-9]{1,16}$` },
  }
}

/** The number of a value such as `clamp:50`. */
export const countIn = (value: `${string}:${number}`): number => Number(value.slice(value.lastIndexOf(':') + 1))

/** Texts that match a pattern completely. @param normalize Returns the canonical form of a text. */
export const matching = <Value extends string>({
  pattern,
  normalize = (text) => text,
  ...form
}: Described<Value> & {
  readonly pattern: RegExp
  readonly normalize?: (text: string) => string | undefined
}): Form<Value> => ({
  ...form,
  parse: (text) => (pattern.test(text) ? (normalize(text) as Value | undefined) : undefined),
  schema: { type: 'string', pattern: pattern.source },
})

export type AssumptionRow = {
  readonly section: string
  readonly question: string
  readonly default: string | number
  /** Completes the sentence "The client relies on …" when a client breaks under an alternative. */
  readonly relies?: string
  /** The default and up to three alternatives that `vary` tries, each with its meaning in one line. */
  readonly values: Readonly<Record<string | number, string>>
  /** Further values that can be set and learned; `vary` tries them with `--thorough`. */
  readonly more?: Readonly<Record<string | number, string>>
  /** Values with a parameter that can be set and learned; `vary` tries the samples with `--thorough`. */
  readonly form?: Form
  /** The alternatives are unusual, and break almost every client. */
  readonly rare?: true
}
