import { type Entries, settingsOf } from '../../core/assumptions/file.ts'
import { countIn } from '../../core/assumptions/form.ts'
import { isForm } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  defaultAssumptions,
  findAssumption,
} from '../../core/assumptions/registry.ts'
import type { Reply } from '../../core/http/reply.ts'
import { effectOf, operations } from '../../core/operations/operations.ts'
import { isJsonObject } from '../../util/json.ts'
import { describeRequest } from './describe-exchange.ts'
import { answerOf, parts as bits, bodyParts, createFolder, decidedBy, type Item, visiblePartsOf } from './fold.ts'
import { toItem, tokens } from './read-check.ts'
import { createIsForeign, type Labels, type RecordedExchange } from './recording.ts'
import { createdPlants, elementsOf, lengthOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, isOperation, type TestRequest, takenId } from './test-request.ts'
import { excerpt } from './verdict.ts'
import { createViolations } from './violations.ts'

const answerParts = ['status', 'type', 'body'] as const
type AnswerPart = (typeof answerParts)[number]

export type UnlikenessCause =
  | { readonly because: 'rule'; readonly id: string }
  /** Lists have plants of unknown origin: from other clients, or from a time before the first request. */
  | { readonly because: 'plants' }
  | { readonly because: 'other' | 'unseen' | 'assumption'; readonly id: AssumptionId }
  | { readonly because: 'unknown' }

export type Unlikeness = {
  readonly exchange: string
  readonly curl: string
  readonly section: string
  readonly parts: readonly AnswerPart[]
  /** The difference, for example `200 at the service, 201 at the mock`. */
  readonly differs: string
  readonly cause: UnlikenessCause
  readonly exchanges: number
}

export type Alikeness = {
  readonly exchanges: number
  readonly alike: number
  /** For status, type and body, the number of exchanges in which mock and service agree. */
  readonly same: Readonly<Record<AnswerPart, number>>
  readonly heldOut: { readonly exchanges: number; readonly alike: number }
  /**
   * Estimated share (0 to 1) of a client's requests to which mock and service respond alike. `undefined` if too few
   * kinds of requests were compared.
   */
  readonly expected?: number
  readonly differences: readonly Unlikeness[]
}

export const imitate = (
  recorded: readonly RecordedExchange[],
  entries: Entries,
  labels: Labels,
  broken: readonly string[] = [],
  sample: readonly TestRequest[] = [],
): Alikeness => {
  const kinds = new Map<string, { all: number; alike: number }>()
  const taken = new Set<unknown>([takenId])
  const assume: Assumptions = { ...defaultAssumptions, ...settingsOf(entries) }
  const isForeign = createIsForeign(recorded, labels)
  const same = { status: 0, type: 0, body: 0 }
  const heldOut = { exchanges: 0, alike: 0 }
  let alike = 0
  const found = new Map<string, Unlikeness>()
  const items = recorded.map(toItem)
  const { replies, differences } = createFolder(items, {
    counted: earlierRequests(items, assume['rate.limit']),
    labels,
    stated: items,
  })(assume)
  for (const [i, { request, response, isHeldOut }] of items.entries()) {
    const [reply, differs] = [replies[i] as Reply, differences[i] ?? 0]
    const parts = answerParts.filter((part) => differs & masks[part])
    for (const part of answerParts) if (!parts.includes(part)) same[part]++
    if (parts.length === 0) alike++
    const kind = requestKind(request, (id) => taken.has(id))
    const { all, alike: others } = kinds.get(kind) ?? { all: 0, alike: 0 }
    kinds.set(kind, { all: all + 1, alike: others + (parts.length === 0 ? 1 : 0) })
    for (const { id, certain } of createdPlants(request, response)) if (certain) taken.add(id)
    if (isHeldOut) heldOut.exchanges++
    if (isHeldOut && parts.length === 0) heldOut.alike++
    if (parts.length === 0) continue
    const answer = answerOf(request, reply)
    const decided = decidedBy(reply)
    const key = JSON.stringify([request.method, parts, response.status, answer.status, decided])
    const known = found.get(key)
    if (known === undefined) {
      const cause = causeOf({ request, response, answer, differs, decided, entries, isForeign, broken })
      found.set(key, {
        exchange: describeRequest(request),
        curl: response.curl(),
        section: sectionOf(cause, request),
        parts,
        differs: describeDifference(response, answer, parts),
        cause,
        exchanges: 1,
      })
    } else found.set(key, { ...known, exchanges: known.exchanges + 1 })
  }
  const shares = sample.flatMap((request) => {
    const kind = kinds.get(requestKind(request, (id) => id === takenId))
    return kind === undefined ? [] : [kind.alike / kind.all]
  })
  const expected = shares.length < sample.length / 2 ? undefined : shares.reduce((a, b) => a + b, 0) / shares.length
  return {
    exchanges: recorded.length,
    alike,
    same,
    heldOut,
    ...(expected !== undefined && sample.length > 0 && { expected }),
    differences: [...found.values()],
  }
}

const requestKind = (request: TestRequest, isTaken: (id: unknown) => boolean): string => {
  const { method, path, as, headers, json } = request
  const { authorization = as, 'content-type': type = '' } = headers
  const who = authorization.replaceAll(/\d+/g, '1')
  if (!isCreate(request)) return [method, who, path.replace(/(?<=[?]limit=).*/s, limitKind)].join(' ')
  if (!isJsonObject(json)) return [method, who, type, typeof json].join(' ')
  const { id, name, tag, ...further } = json
  const isAscii = /^[ -~]*$/.test(`${name}${tag}`)
  return [method, who, type, ...[id, name, tag].map(kindOf), isTaken(id), isAscii, Object.keys(further).length].join(
    ' ',
  )
}

const limitKind = (limit: string): string => {
  if (/^\d+$/.test(limit)) return Number(limit) === 0 ? '0' : '1'
  if (limit.includes('&')) return 'repeated'
  return /^-?\d/.test(limit) ? 'almost a number' : 'text'
}

const kindOf = (value: unknown): string => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return value === '' ? 'empty' : typeof value
}

const earlierRequests = (items: readonly Item[], limit: Assumptions['rate.limit']): ReadonlyMap<string, number> => {
  if (limit === 'none') return new Map()
  const nth = limit === 'every-tenth' ? 10 : countIn(limit)
  const counted = items.filter(({ request }) => request.as === 'caller' && isOperation(request))
  const first = counted.findIndex(({ response }) => response.status === 429)
  return new Map(first === -1 ? [] : [[tokens.caller, (nth - ((first + 1) % nth)) % nth]])
}

const masks: Readonly<Record<AnswerPart, number>> = { status: bits.status, type: bits.type, body: bodyParts }

const describeDifference = (service: TestResponse, mock: TestResponse, [part]: readonly AnswerPart[]): string => {
  if (part === 'status') return `${service.status} at the service, ${mock.status} at the mock`
  if (part === 'type') return `Content-Type ${shownType(service)} at the service, ${shownType(mock)} at the mock`
  if (Array.isArray(service.json) && Array.isArray(mock.json)) return describeLists(service, mock)
  const [ofService, ofMock] = excerpts(bodyText(service), bodyText(mock))
  return `body ${ofService} at the service, ${ofMock} at the mock`
}

const shownType = ({ headers }: TestResponse): string => headers.get('content-type') ?? 'none'

const bodyText = ({ json, text, redact }: TestResponse): string =>
  json === undefined ? text : redact(JSON.stringify(json))

const maxShared = 40

const excerpts = (a: string, b: string): readonly [string, string] => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const from = at > maxShared ? at - maxShared / 2 : 0
  const shown = (text: string): string => excerpt(`${from > 0 ? '…' : ''}${text.slice(from)}`)
  return [shown(a), shown(b)]
}

const describeLists = (service: TestResponse, mock: TestResponse): string => {
  const [length, mockLength] = [lengthOf(service), lengthOf(mock)]
  if (length !== mockLength) return `${length} elements at the service, ${mockLength} at the mock`
  const elements = [service.json, mock.json] as readonly (readonly unknown[])[]
  const at = elements[0]?.findIndex((element, i) => JSON.stringify(element) !== JSON.stringify(elements[1]?.[i])) ?? 0
  const [ofService = '', ofMock = ''] = elements.map((list) =>
    excerpt(service.redact(JSON.stringify(list[at]) ?? 'nothing')),
  )
  return `element ${at} is ${ofService} at the service, ${ofMock} at the mock`
}

type Unexplained = {
  readonly request: TestRequest
  readonly response: TestResponse
  readonly answer: TestResponse
  readonly differs: number
  readonly decided: readonly AssumptionId[]
  readonly entries: Entries
  readonly isForeign: (element: unknown) => boolean
  readonly broken: readonly string[]
}

const causeOf = ({
  request,
  response,
  answer,
  differs,
  decided,
  entries,
  isForeign,
  broken,
}: Unexplained): UnlikenessCause => {
  const violations = createViolations()
  violations.judge(request, response)
  const stores = broken.find((id) => id === 'create.stored' || id === 'list.access')
  const areLists = [response, answer].every(({ json }) => Array.isArray(json))
  const rule = violations.firstBroken() ?? (areLists ? stores : undefined)
  if (rule !== undefined) return { because: 'rule', id: rule }
  const causeAt = (id: AssumptionId): UnlikenessCause => {
    const { value, other } = entries.get(id) ?? {}
    return { because: value !== undefined ? 'assumption' : other !== undefined ? 'other' : 'unseen', id }
  }
  if (differs & bits.status && [response, answer].some(({ status }) => status === 429)) return causeAt('rate.limit')
  const { value, other } = entries.get('create.visibility') ?? {}
  const isLate = other !== undefined || (value !== undefined && value !== 'immediate')
  const hasOthers = isOfOtherPlants(response, answer, isForeign)
  const isLonger = [response, answer].every(succeeded) && lengthOf(response) !== lengthOf(answer)
  if (isLate && isLonger && !hasOthers) return causeAt('create.visibility')
  const shown = differs & bits.status || differs
  const open = decided.find((id) => visiblePartsOf(id) & shown && causeAt(id).because !== 'assumption')
  if (open !== undefined) return causeAt(open)
  if (hasOthers) return { because: 'plants' }
  const form = succeeded(response) || differs & bits.status ? undefined : decided.find(isForm)
  const point = form ?? openPoint(request, response, answer)
  return point === undefined ? { because: 'unknown' } : { because: 'assumption', id: point }
}

const isOfOtherPlants = (
  response: TestResponse,
  answer: TestResponse,
  isForeign: Unexplained['isForeign'],
): boolean => {
  const textOf = (list: TestResponse) =>
    elementsOf(list)
      .filter(isForeign)
      .map((one) => JSON.stringify(one))
      .sort()
      .join()
  return textOf(response) !== textOf(answer)
}

export const openPoint = (
  request: TestRequest,
  response: TestResponse,
  answer: TestResponse,
): AssumptionId | undefined => {
  if (!isOperation(request)) return 'operation.other'
  if (isCreate(request) && succeeded(answer) && !succeeded(response)) return 'plant.meaning'
  return isList(request) && /[?&](?!limit=)[^&]/.test(request.path) ? 'list.paging' : undefined
}

const sectionOf = (cause: UnlikenessCause, request: TestRequest): string => {
  if ('id' in cause && cause.because !== 'rule') return findAssumption(cause.id)?.section ?? ''
  const effect = isOperation(request) ? effectOf(request) : undefined
  return Object.values(operations).find((one) => one.effect === effect)?.section ?? '4.3'
}
