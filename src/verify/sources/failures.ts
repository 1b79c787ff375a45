import type { AssumptionId } from '../../core/assumptions/registry.ts'
import { type Failure, noSchema } from './failure-schema.ts'
import type { Reader, Side } from './operations.ts'
import { securityOf } from './operations.ts'
import type { Spot } from './tree.ts'

export const readFailures = (reader: Reader, sides: readonly Side[]): void => {
  const create = sides.find(({ name }) => name === 'create')
  const list = sides.find(({ name }) => name === 'list')
  readTokenStatus(reader, sides)
  const invalid = create && readCreateStatuses(reader, create)
  const limit = list && readInvalid(reader, list, 'an invalid limit')
  if (limit !== undefined)
    reader.set('error.limitStatus', invalid?.status === limit.status ? 'same' : (limit.status ?? ''), limit.spot)
  for (const side of sides) noteUnknown(reader, side)
  readBodies(reader, create?.failures ?? [], list?.failures ?? [])
}

const find = (failures: readonly Failure[], ...statuses: readonly (number | undefined)[]): Failure | undefined =>
  failures.find(({ status }) => statuses.includes(status))

/** If a document lists 400 as the only status of failures, 400 probably stands for every refusal. */
const isOnly400 = ({ failures }: Side): boolean => failures.length === 1 && failures[0]?.status === 400

const weakEvidence = ['weak: only 400 is listed', 'one listed failure'] as const

const readTokenStatus = (reader: Reader, sides: readonly Side[]): void => {
  const { set, note } = reader
  const telling = sides.filter(({ failures }) => failures.length > 0)
  const [first] = telling
  if (first === undefined) return
  const unauthorized = telling.map(({ failures }) => find(failures, 401))
  const forbidden = telling.map(({ failures }) => find(failures, 403))
  const [known] = unauthorized.flatMap((one) => one ?? [])
  if (known && unauthorized.some((one, i) => one === undefined && forbidden[i] !== undefined))
    note('unsupported', known.spot, 'One operation lists 401, the other 403: the status of a missing token stays open.')
  else if (known) set('auth.status', 401, known.spot)
  else if (forbidden.every((one) => one !== undefined)) set('auth.status', 403, (forbidden[0] as Failure).spot)
  else if (telling.every(isOnly400) && sides.some(({ operation }) => securityOf(reader, operation).needsToken)) {
    set('auth.status', 400, first.responses, ...weakEvidence)
    for (const id of ['auth.unknownStatus', 'auth.malformedStatus'] as const)
      set(id, 'same', first.responses, ...weakEvidence)
  }
}

const readInvalid = ({ note }: Reader, { failures, responses }: Side, request: string): Failure | undefined => {
  const [found, other] = [400, 422].flatMap((status) => find(failures, status) ?? [])
  if (other === undefined) return found
  note('unsupported', responses, `400 and 422 are listed, but not which of the two ${request} returns.`)
  return undefined
}

const readCreateStatuses = (reader: Reader, side: Side): Failure | undefined => {
  const { set } = reader
  const { failures, responses } = side
  const invalid = readInvalid(reader, side, 'an invalid create')
  if (invalid?.status !== undefined) set('error.invalidStatus', invalid.status, invalid.spot)
  const conflict = find(failures, 409)
  if (conflict) set('create.duplicateStatus', 409, conflict.spot)
  const unsupported = find(failures, 415)
  if (unsupported) set('create.contentType', 'require', unsupported.spot)
  if (isOnly400(side)) {
    set('create.duplicateStatus', 400, responses, ...weakEvidence)
    set('error.syntaxStatus', 'same', responses, ...weakEvidence)
  }
  return invalid
}

const knownStatuses: readonly unknown[] = [400, 401, 403, 413, 422, undefined]

const noteUnknown = ({ note }: Reader, { name, failures, responses }: Side): void => {
  const known = name === 'create' ? [...knownStatuses, 409, 415] : knownStatuses
  const unknown = failures.map(({ status }) => status).filter((status) => !known.includes(status))
  if (unknown.length > 0)
    note(
      'unsupported',
      responses,
      `${unknown.join(' and ')}: the document does not say for which requests, so the mock never returns this.`,
    )
}

const readBodies = ({ set, note }: Reader, create: readonly Failure[], list: readonly Failure[]): void => {
  const those = (failures: readonly Failure[], ...statuses: readonly (number | undefined)[]) => {
    const all = failures.filter(({ status, form }) => statuses.includes(status) && form !== undefined)
    const clear = all.filter(({ form }) => form !== noSchema)
    return clear.length > 0 ? clear : all
  }
  const sides = [create, list].flatMap((side) => [those(side, 400, 422), those(side, undefined)])
  const general = sides.find(([first]) => first && first.form !== noSchema) ?? sides.flat()
  const read = (id: AssumptionId, failures: readonly Failure[], usual?: string): string | undefined => {
    const [first] = failures
    if (first?.form === undefined) return undefined
    const values = new Set(failures.map(({ form }) => (form && 'value' in form ? form.value : undefined)))
    const [value] = values
    const unclear = failures.find(({ form }) => form && 'reason' in form)
    if (unclear?.form && 'reason' in unclear.form) tell(id, unclear.spot, unclear.form.reason)
    else if (values.size > 1)
      tell(id, first.spot, `the bodies of ${failures.map(({ spot }) => spot.path.at(-1)).join(' and ')} differ`)
    else if (value !== undefined && value !== usual) set(id, value, first.spot)
    return values.size === 1 ? value : undefined
  }
  const tell = (id: AssumptionId, spot: Spot, reason: string) =>
    note('unsupported', spot, `${id} stays open: ${reason}.`)
  const usual = read('error.body', general)
  read('error.authBody', those([...create, ...list], 401, 403), usual)
  read('error.duplicateBody', those(create, 409), usual)
  // `error.syntaxBody` also decides the body of the refusal of broken JSON.
  const syntax = those(create, 413, 415)
  const broken = [400, 422, undefined].map((status) => those(create, status)).find((group) => group.length > 0) ?? []
  if (syntax.length > 0) read('error.syntaxBody', [...broken, ...syntax], usual)
  read('error.limitBody', those(list, 400, 422), usual)
}
