import type { OperationId } from './operation-ids.ts'

export type AssumptionValue = string | number

export type Form<Value extends AssumptionValue = AssumptionValue> = {
  readonly shown: string
  readonly aliases?: Readonly<Record<string, AssumptionValue>>
  readonly samples: readonly Value[]
  readonly parse: (text: string) => Value | undefined
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

/** The replies that an assumption can change. `other`: replies to requests outside of the contract. */
export type Concern = OperationId | 'other' | 'requests' | 'failures'

/**
 * The part of a reply that an assumption decides.
 * - `outcome`: success or failure
 * - `fields`: which fields of a create are valid
 * - `token`: which tokens are required and accepted
 * - `success`: the status of a success
 * - `status`: the status of a failure
 * - `limit`: how `limit` is parsed
 * - `length`: the maximum length of a list
 * - `plants`: which plants exist, and their order
 * - `plant`: the content of each plant
 * - `form`: how JSON or a failure is written
 * - `type`: the media type
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
  readonly decides: Readonly<Partial<Record<Concern, Part>>>
  readonly default: string | number
  readonly relies?: string
  readonly more?: Readonly<Record<string | number, string>>
  readonly form?: Form
  readonly rare?: true
  /** True for an assumption that affects most replies. The journal prefers to explain a reply by other assumptions. */
  readonly isCommon?: true
  /** The unit of `upTo` in an assumptions file; `undefined` for plants. */
  readonly unit?: 'requests' | 'bytes'
  readonly needs?: Id
  /** Assumptions whose values can hide the effect of this assumption. */
  readonly hiddenBy?: readonly Id[]
  readonly standsForBase?: string
} & (
  | {
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
