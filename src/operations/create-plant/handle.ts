import type { AssumptionId, Assumptions } from '../../assumptions/registry.ts'
import type { FieldProblem } from '../../contract/problems.ts'
import { type Caller, describeField, type PlantDraft } from '../../contract/schemas.ts'
import { bodyNotUtf8, bodyTooLarge, type Exchange, type Reply } from '../../http/exchange.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import type { Context } from '../context.ts'

/** RFC 9110, 8.3: a media type, with parameters or without. */
export const isJson = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '')

/** `POST /plants` (contract.md, 4.1), for an authenticated caller. */
export const createPlant = (exchange: Exchange, caller: Caller, context: Context): MaybePromise<Reply> => {
  const { assumptions, replies, store, hidden } = context
  const about = { operation: 'createPlant', caller } as const

  if (exchange.body === bodyTooLarge)
    return replies.problem(
      'body-too-large',
      { detail: `The body is larger than ${assumptions['body.maxSize']}.` },
      about,
    )
  const contentType = exchange.header('content-type')
  if (assumptions['create.contentType'] === 'require' && !isJson(contentType)) {
    const seen = contentType === undefined ? 'there was no Content-Type' : `it was ${contentType}`
    return replies.problem(
      'unsupported-media-type',
      { detail: `Send the header Content-Type: application/json; ${seen}.` },
      about,
    )
  }
  const parsed = parseJson(exchange.body)
  if ('detail' in parsed) return replies.problem('malformed-json', parsed, about)

  const checked = context.validate(parsed.json)
  if ('errors' in checked) return replies.problem('invalid-plant', explain(checked.errors), about)

  const onDuplicate = assumptions['create.duplicateId']
  return andThen(store.create(caller, checked.value, onDuplicate), ({ outcome, plant }) => {
    if (outcome === 'conflict') return replies.problem('duplicate-id', duplicate(checked.value), about)
    if (assumptions['create.visibility'] === 'eventual' && outcome === 'created') hidden.add(caller, plant)
    const noticed = noticedIn(parsed.json, checked.value, exchange, assumptions)
    if (outcome === 'replaced') noticed.push('create.duplicateId')
    return replies.plant(plant, about, noticed.length === 0 ? createdBy : [...createdBy, ...noticed])
  })
}

const createdBy: readonly AssumptionId[] = [
  'create.status',
  'auth.tokens',
  'json.keyOrder',
  'json.contentType',
]

/** The assumptions that let a create pass which another service might refuse. */
const noticedIn = (
  json: unknown,
  { id, name, tag }: PlantDraft,
  exchange: Exchange,
  assumptions: Assumptions,
): AssumptionId[] => {
  const noticed: AssumptionId[] = []
  let named = 0
  let unnamed = 0
  for (const key in json as object)
    if (key === 'id' || key === 'name' || key === 'tag') named++
    else unnamed++
  if (named < 3) noticed.push('create.required')
  if (unnamed > 0) noticed.push('create.unknownFields')
  if (name === '' || tag === '') noticed.push('create.emptyStrings')
  if (id !== undefined && assumptions['create.duplicateId'] === 'accept') noticed.push('create.duplicateId')
  if (assumptions['create.contentType'] === 'ignore') noticed.push('create.contentType')
  if (typeof exchange.body === 'string' && exchange.body.length > smallBody) noticed.push('body.maxSize')
  return noticed
}

/** Bodies of so many characters may be too large elsewhere. */
const smallBody = 16 * 1024 - 1

const parseJson = (body: Exchange['body']): { readonly json: unknown } | { readonly detail: string } => {
  if (typeof body !== 'string')
    return { detail: body === bodyNotUtf8 ? 'The body is not UTF-8.' : 'The request has no body.' }
  try {
    return { json: JSON.parse(body) as unknown }
  } catch (error) {
    if (body.trim() === '') return { detail: 'The body is empty.' }
    return { detail: `${error instanceof Error ? error.message : error}.` }
  }
}

const explain = (errors: readonly FieldProblem[]) => ({
  detail: `${errors.map(describeField).join('; ')}.`,
  errors,
  assumptions: errors.flatMap(decidedBy),
})

/** Which assumption made a field an error. What the contract itself states, the types, has none. */
const decidedBy = ({ detail }: FieldProblem): readonly AssumptionId[] => {
  if (detail === 'is required') return ['create.required']
  if (detail === 'must not be empty') return ['create.emptyStrings']
  if (detail === 'is not a field of a plant') return ['create.unknownFields']
  return detail.startsWith('must lie between') ? ['create.idRange'] : []
}

const duplicate = ({ id }: PlantDraft) => {
  const detail = `A plant with id ${id} is already among those you may access. Use another id.`
  return { detail, errors: [{ pointer: '#/id', detail: 'is taken' }] }
}
