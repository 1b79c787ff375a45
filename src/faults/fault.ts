import * as v from 'valibot'
import type { Caller } from '../contract/schemas.ts'
import { faultKinds } from '../http/exchange.ts'
import type { OperationId } from '../operations/operations.ts'
import { operations } from '../operations/operations.ts'
import { PlantMockError } from '../util/errors.ts'
import { isNestedTooDeep } from '../util/json.ts'

/** Milliseconds, or a range from which each delay is drawn. */
export type Delay = number | readonly [min: number, max: number]

/** Which requests a fault is for. Left out, each narrows nothing. */
type Aim = {
  readonly operation?: OperationId
  /** The caller's token, or its pseudonym. */
  readonly caller?: Caller
  /** How often it happens, then no more. Default: until it is taken away. */
  readonly times?: number
  /** From 0 to 1, drawn from the mock's seed. Default: 1. */
  readonly probability?: number
}

/** What happens. A delay goes with any other, and stands alone too. */
type Effect =
  | {
      /** The status of an answer that is given in place of the service, from 200 to 599. */
      readonly status: number
      /** Its body: text as it is, anything else as JSON. Default: a failure in the form of `error.body`. */
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection is reset, and the service not asked. */
  | { readonly reset: true }
  /** The service acts; the connection breaks in the middle of its answer. */
  | { readonly truncate: true }
  /** The service acts; its answer has half of the JSON, as if it were whole. */
  | { readonly malformed: true }
  /** The service acts; its answer arrives by drops, without end. */
  | { readonly drip: true }
  | { readonly delay: Delay }

/** A failure to play: of which requests, and what happens to them. */
export type Fault = Aim & Effect & { readonly delay?: Delay }

const milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400_000))
const set = v.optional(v.literal(true))

/** The schema of a fault, as a value of the schema library. */
export const faultSchema: unknown = v.strictObject({
  operation: v.optional(v.picklist(Object.keys(operations))),
  caller: v.optional(v.string()),
  times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  probability: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  delay: v.optional(v.union([milliseconds, v.tuple([milliseconds, milliseconds])])),
  status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))),
  body: v.optional(v.unknown()),
  headers: v.optional(v.record(v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/)), headerValue())),
  reset: set,
  truncate: set,
  malformed: set,
  drip: set,
})

/** RFC 9110, 5.5: no control characters, so that no header can bring a second one along. */
function headerValue() {
  return v.pipe(v.string(), v.regex(/^[\t\x20-\x7E\x80-\xFF]*$/))
}

/**
 * Checks a fault that comes from outside the type system.
 * @throws PlantMockError that says which part cannot be used.
 */
export const checkFault = (value: unknown): Fault => {
  const result = v.safeParse(faultSchema as v.GenericSchema<unknown, Fault>, value)
  if (!result.success) {
    const [issue] = result.issues
    const field = issue.path?.map(({ key }) => String(key)).join('.') ?? ''
    if (issue.expected === 'never') throw refused(`there is no "${field}". It can have ${parts.join(', ')}`)
    throw refused(`${field === '' ? 'it' : `"${field}"`} ${wanted[field] ?? 'is not of the right type'}`)
  }
  const fault = result.output
  const effects = faultKinds.filter((effect) => effect in fault)
  if (effects.length > 1) throw refused(`${effects.join(' and ')} exclude each other`)
  if (effects.length === 0 && fault.delay === undefined)
    throw refused(`nothing happens in it. Give it ${faultKinds.join(', ')} or delay`)
  if (!('status' in fault) && ('body' in fault || 'headers' in fault))
    throw refused('body and headers go with status')
  if ('status' in fault) {
    const framing = Object.keys(fault.headers ?? {}).find((name) => framingHeaders.has(name.toLowerCase()))
    if (framing !== undefined)
      throw refused(`the header ${framing} belongs to the connection, not to an answer`)
  }
  if (Array.isArray(fault.delay) && fault.delay[0] > fault.delay[1])
    throw refused('the least delay comes first, then the longest')
  return 'status' in fault && fault.body !== undefined ? { ...fault, body: jsonOf(fault.body) } : fault
}

/** A copy as JSON has it: whatever becomes of the original, it can be written when the fault is played. */
const jsonOf = (body: unknown): unknown => {
  const text = textOf(body)
  if (text === undefined || isNestedTooDeep(text)) throw refused('its body cannot be written as JSON')
  return JSON.parse(text) as unknown
}

/** `undefined` for what has none: a function, a circle, a nesting without end. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const framingHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const refused = (why: string) => new PlantMockError(`The fault cannot be used: ${why}.`)

const parts = ['operation', 'caller', 'times', 'probability', 'delay', ...faultKinds, 'body', 'headers']

const wanted: Readonly<Record<string, string>> = {
  '': 'must be an object such as { operation: "listPlants", status: 503, times: 1 }',
  operation: `must be one of ${Object.keys(operations).join(', ')}`,
  caller: 'must be a token or a pseudonym',
  times: 'must be a whole number from 1 on',
  probability: 'must be a number from 0 to 1',
  delay: 'must be milliseconds, or [least, longest], up to a day',
  status: 'must be a status from 200 to 599',
  headers: 'must be an object of header names and values',
  ...Object.fromEntries(['reset', 'truncate', 'malformed', 'drip'].map((effect) => [effect, 'must be true'])),
}

/** A fault in words, such as `listPlants: status 503, once`. */
export const describeFault = (fault: Fault, nameOf: (caller: Caller) => string): string => {
  const effect = faultKinds.find((name) => name in fault)
  const { operation, caller, times, probability, delay } = fault
  const what = [
    ...(effect === undefined ? [] : ['status' in fault ? `status ${fault.status}` : effect]),
    ...(delay === undefined ? [] : [`delay ${typeof delay === 'number' ? delay : delay.join(' to ')} ms`]),
    ...(probability === undefined ? [] : [`with probability ${probability}`]),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
  ]
  return `${operation ?? 'any request'}${caller === undefined ? '' : ` of ${nameOf(caller)}`}: ${what.join(', ')}`
}
