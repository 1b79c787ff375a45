import type { AssumptionId, Assumptions } from '../../assumptions/registry.ts'
import { assumptionBehind, type FieldProblem } from '../../contract/problems.ts'
import { describeField, type PlantDraft } from '../../contract/schemas.ts'
import { type Body, bodyNotUtf8, bodyTooLarge, type Exchange } from '../../http/exchange.ts'
import { contentCoding, isJsonType } from '../../http/media-type.ts'
import { type ParsedJson, parseJson } from '../../util/json.ts'
import { andThen } from '../../util/maybe-promise.ts'
import type { Context, Operation, Problem } from '../operation.ts'

/** Performs `POST /plants` (contract.md, 4.1). */
export const handle: Operation['handle'] = (exchange, caller, context) => {
  const { assumptions, store, hidden, json } = context
  const parsed = parseBody(exchange, context)
  if ('problem' in parsed) return parsed
  const checked = context.validate(parsed.value)
  if ('errors' in checked) return invalidPlant(checked.errors)

  const { value: draft } = checked
  return andThen(store.create(caller, draft, assumptions['create.duplicateId']), ({ outcome, plant }) => {
    if (outcome === 'conflict') return duplicateId(draft)
    if (outcome === 'created') hidden.add(caller, plant, assumptions['create.visibility'])
    const tolerated = toleratedBy(parsed.value, draft, exchange, context)
    if (outcome === 'replaced' || outcome === 'existing') tolerated.push('create.duplicateId')
    return {
      status: assumptions['create.status'],
      body: json.plant(plant),
      assumptions: tolerated.length === 0 ? decisive : [...decisive, ...tolerated],
    }
  })
}

const parseBody = (exchange: Exchange, { assumptions }: Context): { readonly value: unknown } | Problem => {
  const { body } = exchange
  if (body === bodyTooLarge)
    return { problem: 'body-too-large', detail: `The body is larger than ${sizeText(assumptions['body.maxSize'])}.` }
  const coding = contentCoding(exchange)
  if (coding !== undefined)
    return {
      problem: 'unsupported-encoding',
      detail: `The body has the Content-Encoding ${coding}. Send it as it is, without Content-Encoding.`,
      // RFC 9110, 15.5.16.
      headers: ['Accept-Encoding', 'identity'],
    }
  if (assumptions['create.contentType'] !== 'ignore') {
    const contentType = exchange.header('content-type')
    if (!isJsonType(contentType)) {
      const sent = contentType === undefined ? 'no Content-Type was sent' : `${contentType} was sent`
      const detail = `Send the header Content-Type: application/json; ${sent}.`
      return assumptions['create.contentType'] === 'require'
        ? { problem: 'unsupported-media-type', detail }
        : { problem: 'invalid-plant', detail, assumptions: ['create.contentType'] }
    }
  }
  const parsed = parseText(body)
  return 'error' in parsed ? { problem: 'malformed-json', detail: `${parsed.error}.` } : parsed
}

const sizeText = (size: Assumptions['body.maxSize']): string => {
  if (typeof size === 'number') return `${size} bytes`
  return size === 'none' ? 'the mock takes' : size
}

const parseText = (body: Exclude<Body, typeof bodyTooLarge>): ParsedJson => {
  if (body === undefined) return { error: 'The request has no body' }
  if (body === bodyNotUtf8) return { error: 'The body is not UTF-8' }
  return body.trim() === '' ? { error: 'The body is empty' } : parseJson(body)
}

const invalidPlant = (errors: readonly FieldProblem[]): Problem => ({
  problem: 'invalid-plant',
  detail: `${errors.map(describeField).join('; ')}.`,
  errors,
  assumptions: errors.flatMap(({ code }) => assumptionBehind[code] ?? []),
})

const duplicateId = ({ id }: PlantDraft): Problem => ({
  problem: 'duplicate-id',
  detail: `A plant with id ${id} exists. Use another id.`,
  errors: [{ code: 'taken', pointer: '#/id', detail: 'is taken' }],
})

/** The assumptions that decide every create. */
const decisive: readonly AssumptionId[] = ['create.status', 'auth.tokens', 'json.keyOrder', 'json.contentType']

/** The assumptions that accepted a create which another service might refuse. */
const toleratedBy = (
  json: unknown,
  { id, name, tag }: PlantDraft,
  { body }: Exchange,
  { assumptions }: Context,
): AssumptionId[] => {
  const tolerated: AssumptionId[] = []
  let known = 0
  let unknown = 0
  for (const key in json as object)
    if (key === 'id' || key === 'name' || key === 'tag') known++
    else unknown++
  if (known < 3) tolerated.push('create.required')
  if (unknown > 0) tolerated.push('create.unknownFields')
  if (name === '' || tag === '') tolerated.push('create.emptyStrings')
  if (id !== undefined && assumptions['create.duplicateId'] === 'accept') tolerated.push('create.duplicateId')
  if (assumptions['create.contentType'] === 'ignore') tolerated.push('create.contentType')
  if (typeof body === 'string' && body.length > maxSmallBody) tolerated.push('body.maxSize')
  return tolerated
}

/** A longer body, in characters, is refused under `body.maxSize=16KiB`. */
const maxSmallBody = 16 * 1024 - 1
