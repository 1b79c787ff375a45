import { PlantMockError } from '../../util/errors.ts'
import { isNestedTooDeep } from '../../util/json.ts'
import { type Issue, issuesOf, type Schema } from '../../util/schema.ts'
import { type OperationId, operationIds } from '../assumptions/operation-ids.ts'
import { fieldValuePattern, tokenPattern } from '../http/headers.ts'
import { type FaultKind, faultKinds } from '../http/reply.ts'
import { faultTable, kindOf } from './kinds.ts'

/** A delay in milliseconds, or a range from which each delay is drawn at random. */
export type Delay = number | readonly [min: number, max: number]

type Target = {
  readonly operation?: OperationId
  /** Affects only requests of this caller, given by token or pseudonym. Default: every caller. */
  readonly caller?: string
  /** How many requests the fault affects. Default: every request, until the fault is removed. */
  readonly times?: number
  /** The probability, from 0 to 1, that the fault affects a request, drawn with the mock's seed. Default: 1. */
  readonly probability?: number
}

type Effect =
  | {
      /** Responds with this status, from 200 to 599, instead of the service. */
      readonly status: number
      /**
       * A string is sent unchanged, any other value as JSON. Default: an error body as in assumption `error.body`, or
       * no body for a status below 400.
       */
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /**
   * Resets the connection before the service receives the request. Chromium silently repeats a request on a reused
   * connection: a page notices the fault only with `times: 2` or more, or without `times`.
   */
  | { readonly reset: true }
  /** Closes the connection in the middle of the response, after the service has handled the request. */
  | { readonly truncate: true }
  /** Sends the first half of the JSON as a complete response, after the service has handled the request. */
  | { readonly malformed: true }
  /** Sends a response that never ends, one character at a time, after the service has handled the request. */
  | { readonly endless: true }
  | { readonly delay: Delay }

type KeyOf<Union> = Union extends unknown ? keyof Union : never

export type Fault = Target & Effect & { readonly delay?: Delay }

const milliseconds: Schema = { type: 'integer', minimum: 0, maximum: 86_400_000 }
const statuses: Schema = { type: 'integer', minimum: 200, maximum: 599 }

const fields: Readonly<Record<string, readonly [schema: Schema, expected: string]>> = {
  operation: [{ enum: operationIds, type: 'string' }, `one of ${operationIds.join(', ')}`],
  caller: [{ type: 'string' }, 'a token or a pseudonym'],
  times: [{ type: 'integer', minimum: 1 }, 'a whole number, 1 or more'],
  probability: [{ type: 'number', minimum: 0, maximum: 1 }, 'a number from 0 to 1'],
  delay: [
    { anyOf: [milliseconds, { type: 'array', prefixItems: [milliseconds, milliseconds], minItems: 2 }] },
    'milliseconds, or [min, max], up to a day',
  ],
  ...Object.fromEntries(
    faultKinds.map((kind: FaultKind & KeyOf<Effect>) => [
      kind,
      faultTable[kind].value === 'flag' ? [{ const: true }, 'true'] : [statuses, 'a status from 200 to 599'],
    ]),
  ),
  body: [{}, 'JSON'],
  headers: [
    {
      type: 'object',
      propertyNames: { type: 'string', pattern: `^${tokenPattern}$` },
      additionalProperties: { type: 'string', pattern: `^${fieldValuePattern}$` },
    },
    'an object of header names and values',
  ],
}
const names = Object.keys(fields)

export const faultSchema: Schema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])),
  required: [],
  additionalProperties: false,
}

export const checkFault = (value: unknown): Fault => {
  const [issue] = issuesOf(faultSchema, value)
  if (issue !== undefined) throw schemaError(issue)
  const fault = copyOf(value as Readonly<Record<string, unknown>>)
  const kinds = faultKinds.filter((kind) => kind in fault)
  if (kinds.length > 1) throw invalid(`${kinds.join(' and ')} exclude each other`)
  if (kinds.length === 0 && fault.delay === undefined)
    throw invalid(`it has no effect. Give it ${faultKinds.join(', ')} or delay`)
  if (Array.isArray(fault.delay) && fault.delay[0] > fault.delay[1])
    throw invalid('the range of its delay must be [min, max]')
  if (!('status' in fault)) {
    if ('body' in fault || 'headers' in fault) throw invalid('body and headers need a status')
    return fault
  }
  const framing = Object.keys(fault.headers ?? {}).find((name) => framingHeaders.test(name))
  if (framing !== undefined) throw invalid(`the connection sets the header ${framing}; leave this header out`)
  return fault.body === undefined ? fault : { ...fault, body: copyOfJson(fault.body) }
}

const copyOf = (given: Readonly<Record<string, unknown>>): Fault => {
  const fault: Record<string, unknown> = Object.fromEntries(
    names.filter((name) => name in given).map((name) => [name, given[name]]),
  )
  if (Array.isArray(fault.delay)) fault.delay = fault.delay.slice(0, 2)
  if (fault.headers !== undefined) fault.headers = { ...(fault.headers as object) }
  return fault as Fault
}

const schemaError = ({ keyword, path }: Issue): PlantMockError => {
  const name = path.join('.')
  if (name === '') return invalid('it must be an object such as { operation: "listPlants", status: 503, times: 1 }')
  if (keyword === 'additionalProperties')
    return invalid(`it has the unknown property "${name}". Known are ${names.join(', ')}`)
  const [, expected] = fields[name] ?? []
  return invalid(`"${name}" ${expected === undefined ? 'has the wrong type' : `must be ${expected}`}`)
}

/** Copies a fault's body, because the user may change the object later. */
const copyOfJson = (body: unknown): unknown => {
  try {
    const text = JSON.stringify(body)
    if (!isNestedTooDeep(text)) return JSON.parse(text) as unknown
  } catch {}
  throw invalid('its body cannot be written as JSON')
}

const framingHeaders = /^(?:connection|content-length|keep-alive|trailer|transfer-encoding|upgrade)$/i

const invalid = (reason: string) => new PlantMockError(`Invalid fault: ${reason}.`)

/** `fault.caller` must already be a pseudonym, because descriptions must not contain tokens. */
export const describeFault = (fault: Fault): string => {
  const { operation, caller, times, probability, delay } = fault
  const kind = kindOf(fault)
  const effects = [
    ...(kind === undefined ? [] : ['status' in fault ? `status ${fault.status}` : kind]),
    ...(delay === undefined ? [] : [`delay ${typeof delay === 'number' ? delay : delay.join(' to ')} ms`]),
    ...(probability === undefined ? [] : [`with probability ${probability}`]),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
  ]
  const target = `${operation ?? 'any request'}${caller === undefined ? '' : ` of ${caller}`}`
  return `${target}: ${effects.join(', ')}`
}
