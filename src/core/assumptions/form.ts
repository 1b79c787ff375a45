import type { OperationId } from './operation-ids.ts'

export type AssumptionValue = string | number

export type Form<Value extends AssumptionValue = AssumptionValue> = {
  /** How the values are written, such as `clamp:N`. */
  readonly shown: string
  /** Texts with a parameter that mean a value without one: `clamp:100` means `clamp`. */
  readonly aliases?: Readonly<Record<string, AssumptionValue>>
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

/** The replies that a point can change. `other`: outside of the contract; `failures`: of any request. */
export type Concern = OperationId | 'other' | 'requests' | 'failures'

/**
 * The part of a reply that a point decides.
 * - `outcome`: whether the request succeeds; `fields`: whether the fields of its body are valid; `token`: whether the
 *   request needs a token, and which tokens are accepted
 * - `success`: the status of a success; `status`: the status of a failure
 * - `limit`: how the text of a limit is read; `length`: how many plants a list contains at most
 * - `plants`: which plants exist and are listed, and in which order. Other clients can change `length` and `plants` too
 * - `plant`: the content of each shown plant
 * - `form`: how JSON or the body of a failure is written; `type`: its media type
 */
export type Part =
  | 'outcome'
  | 'fields'
  | 'token'
  | 'success'
  | 'status'
  | 'limit'
  | 'length'
  | 'plants'
  | 'plant'
  | 'form'
  | 'type'

export type AssumptionRow<Id extends string = string> = {
  readonly section: string
  readonly question: string
  /** Empty if no reply depends on the point. */
  readonly decides: Readonly<Partial<Record<Concern, Part>>>
  readonly default: string | number
  /** Completes the sentence "The client relies on …" when a client breaks under an alternative. */
  readonly relies?: string
  /** Further values that can be set and learned; `vary` tries them with `--thorough`. */
  readonly more?: Readonly<Record<string | number, string>>
  /** Values with a parameter that can be set and learned; `vary` tries the samples with `--thorough`. */
  readonly form?: Form
  /** The alternatives are unusual, and break almost every client. */
  readonly rare?: true
  /** Decides most responses or most failures, and so says little about a single response. */
  readonly isCommon?: true
  /** The unit of the largest input that shows no limit. Default: plants. */
  readonly unit?: 'requests' | 'bytes'
  /** `verify` omits this point while the point named here has the value `none`. */
  readonly needs?: Id
  /** Points whose values can hide the effect of this point. Learning from a recording tries them together. */
  readonly hiddenBy?: readonly Id[]
  /** The requests to name as evidence for the point behind `same`, if only they show that point. */
  readonly standsForBase?: string
} & (
  | {
      /** The default and up to three alternatives that `vary` tries, each with its meaning in one line. */
      readonly values: Values & { readonly same?: never }
      readonly relative?: Relative<Id>
    }
  | {
      readonly values: Values & { readonly same: string }
      readonly relative: { readonly same: Id } & Relative<Id>
    }
)

type Values = Readonly<Record<string | number, string>>
type Relative<Id extends string> = Readonly<Record<string, Id>>
