import { isJsonObject } from '../../util/json.ts'
import { type AssumptionId, type Assumptions, maxBodySize, smallBody } from '../assumptions/registry.ts'
import type { CallerKey } from '../contract/caller.ts'
import { assumptionBehind, type FieldProblem } from '../contract/problems.ts'
import { describeField, isLargeId, type PlantDraft, validatePlant } from '../contract/schemas.ts'
import { hide } from './hidden.ts'
import { plantText } from './list.ts'
import type { StoredPlant } from './plants.ts'
import type { SentPlant, ServiceRequest } from './request.ts'
import type { Performed, Problem } from './result.ts'
import type { State } from './state.ts'

export const createPlant = (
  state: State,
  { sent = nothing, time }: ServiceRequest,
  caller: CallerKey,
  assumptions: Assumptions,
): Performed => {
  const refused = refusalOf(sent, assumptions)
  if (refused !== undefined) return { state, result: { ...refused, assumptions: aboutRequest(sent) } }
  const { value } = sent.body as { readonly value: unknown }
  const touched = touchedBy(value, sent)
  const checked = validatePlant(value, assumptions)
  if ('errors' in checked) return { state, result: invalidPlant(checked.errors, touched) }
  const stored = store(state, caller, checked.value, time, assumptions)
  if (stored === undefined) return { state, result: duplicateId(checked.value, touched) }
  return {
    state: stored.state,
    result: {
      status: assumptions['create.status'],
      body: plantText(stored.plant, assumptions),
      assumptions: decidedBy(stored.plant, touched),
    },
  }
}

const nothing: SentPlant = { contentType: undefined, isJson: false, coding: undefined, size: 0, body: { error: '' } }

const store = (
  state: State,
  caller: CallerKey,
  draft: PlantDraft,
  time: number,
  assumptions: Assumptions,
): { readonly state: State; readonly plant: Pick<StoredPlant, 'name' | 'tag'> } | undefined => {
  const { plants, hidden, rates, random } = state
  const onDuplicate = assumptions['create.duplicateId']
  const position = plants.findDuplicate(caller, draft.id, onDuplicate)
  if (position === undefined) {
    const added = plants.append({ id: draft.id, name: draft.name, tag: draft.tag, access: [caller] })
    const visibility = assumptions['create.visibility']
    return {
      state: { plants: added, hidden: hide(hidden, caller, plants.length, visibility, time), rates, random },
      plant: draft,
    }
  }
  const existing = plants.at(position)
  if (onDuplicate === 'idempotent') return { state, plant: existing }
  if (onDuplicate !== 'replace') return undefined
  const replaced = { ...draft, access: existing.access }
  return { state: { ...state, plants: plants.changed(new Map([[position, replaced]])) }, plant: draft }
}

const refusalOf = (
  { contentType, isJson, coding, size, body }: SentPlant,
  assumptions: Assumptions,
): Problem | undefined => {
  if (size > maxBodySize(assumptions))
    return { problem: 'body-too-large', detail: `The body is larger than ${sizeText(assumptions['body.maxSize'])}.` }
  if (coding !== undefined)
    return {
      problem: 'unsupported-encoding',
      detail: `The body has the Content-Encoding ${coding}. Send the body uncompressed, without Content-Encoding.`,
      // Sends `Accept-Encoding` with a 415 for an unsupported coding (RFC 9110, 15.5.16).
      headers: ['Accept-Encoding', 'identity'],
    }
  if (assumptions['create.contentType'] !== 'ignore' && !isJson)
    return {
      problem: assumptions['create.contentType'] === 'require' ? 'unsupported-media-type' : 'invalid-plant',
      detail: `Send the header Content-Type: application/json; ${contentType ?? 'no Content-Type'} was sent.`,
    }
  return 'error' in body ? { problem: 'malformed-json', detail: `${body.error}.` } : undefined
}

const sizeText = (size: Assumptions['body.maxSize']): string => {
  if (typeof size === 'number') return `${size} bytes`
  return size === 'none' ? 'the mock takes' : size
}

const invalidPlant = (errors: readonly FieldProblem[], touched: readonly AssumptionId[]): Problem => ({
  problem: 'invalid-plant',
  detail: `${errors.map(describeField).join('; ')}.`,
  errors,
  assumptions: [...errors.flatMap(({ code }) => assumptionBehind[code] ?? []), ...touched],
})

const duplicateId = ({ id }: PlantDraft, touched: readonly AssumptionId[]): Problem => ({
  problem: 'duplicate-id',
  detail: `A plant with id ${id} exists. Use another id.`,
  errors: [{ code: 'taken', pointer: '#/id', detail: 'is taken' }],
  assumptions: touched,
})

const decisive: readonly AssumptionId[] = [
  'create.status',
  'create.duplicateId',
  'auth.tokens',
  'rate.limit',
  'json.keyOrder',
  'json.contentType',
]

const decidedBy = ({ tag }: Pick<StoredPlant, 'tag'>, touched: readonly AssumptionId[]): readonly AssumptionId[] => {
  if (tag === undefined) return [...decisive, ...touched, 'create.missingTag']
  return touched.length === 0 ? decisive : [...decisive, ...touched]
}

/** Returns the assumptions that have a value under which this body gets a different reply. */
const touchedBy = (json: unknown, sent: SentPlant): readonly AssumptionId[] => {
  const about = aboutRequest(sent)
  if (!isJsonObject(json)) return about
  const { id, name, tag } = json
  const isNull = tag === null
  const hasAll = id !== undefined && name !== undefined && tag !== undefined && !isNull
  const { length } = Object.keys(json)
  if (hasAll && length === 3 && name !== '' && tag !== '' && !isLargeId(id)) return about
  const known = [id, name, tag].filter((value) => value !== undefined).length
  return [
    ...about,
    ...(hasAll ? none : (['create.required'] as const)),
    ...(isNull ? (['create.nullTag'] as const) : none),
    ...(length > known ? (['create.unknownFields'] as const) : none),
    ...(isLargeId(id) ? (['create.idRange'] as const) : none),
    ...(name === '' || tag === '' ? (['create.emptyStrings'] as const) : none),
  ]
}

const aboutRequest = ({ isJson, size }: SentPlant): readonly AssumptionId[] => {
  const isSmall = size <= smallBody
  if (isJson && isSmall) return none
  return [...(isJson ? none : (['create.contentType'] as const)), ...(isSmall ? none : (['body.maxSize'] as const))]
}

const none: readonly AssumptionId[] = []
