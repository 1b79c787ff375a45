import type { Entries } from '../../core/assumptions/file.ts'
import { decidesPart, isForm } from '../../core/assumptions/points.ts'
import {
  type Assume,
  type AssumptionId,
  type AssumptionValue,
  allValuesOf,
  findAssumption,
} from '../../core/assumptions/registry.ts'
import { effectOf, operations } from '../../core/operations/operations.ts'
import { shorten } from '../../util/text.ts'
import type { AnswerPart, UnlikenessCause } from './alikeness.ts'
import { type CompareOptions, differingParts } from './answer.ts'
import { elementsOf, lengthOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, isOperation, type TestRequest } from './test-request.ts'
import { createViolations } from './violations.ts'

export type CauseInput = {
  readonly request: TestRequest
  readonly response: TestResponse
  readonly answer: TestResponse
  readonly parts: readonly AnswerPart[]
  readonly decided: readonly AssumptionId[]
  readonly entries: Entries
  readonly options: CompareOptions
  readonly isForeign: (element: unknown) => boolean
  readonly broken: readonly string[]
}

/** @param tryWith Returns the mock's response to the request under another assumption. */
export const causeOf = (input: CauseInput, tryWith: (changed: Assume) => TestResponse): UnlikenessCause => {
  const { request, response, answer, parts, decided, entries, options, isForeign, broken } = input
  const violations = createViolations()
  violations.judge(request, response)
  const rule = violations.firstBroken()
  if (rule !== undefined) return { because: 'rule', id: rule }
  const reasonOf = (id: AssumptionId, value?: AssumptionValue): UnlikenessCause => {
    const entry = entries.get(id) ?? { unseen: '' }
    const because = 'value' in entry ? 'assumption' : 'other' in entry ? 'other' : 'unseen'
    return { because, id, ...(because === 'assumption' && value !== undefined && { value }) }
  }
  // Service and mock count requests, but the service also counts the requests of other clients.
  if (parts.includes('status') && [response, answer].some(({ status }) => status === 429)) return reasonOf('rate.limit')
  if (isOfHiddenPlants(input)) return reasonOf('create.visibility')
  const isAboutForm = !parts.includes('status') && !succeeded(response)
  const isRelevant = (id: AssumptionId): boolean =>
    isForm(id) === isAboutForm || (decidesPart(id, 'type') && parts.includes('type'))
  const explaining: UnlikenessCause[] = []
  const visible = new Set<AssumptionId>()
  for (const id of decided.filter(isRelevant)) {
    const row = findAssumption(id)
    for (const value of row === undefined ? [] : allValuesOf(row)) {
      const tried = tryWith({ [id]: value })
      if (differingParts(response, tried, options).length === 0) explaining.push(reasonOf(id, value))
      if (differingParts(answer, tried, options).length > 0) visible.add(id)
    }
  }
  const changing = [...visible].map((id) => reasonOf(id))
  const isUnlearned = ({ because }: UnlikenessCause): boolean => because !== 'assumption'
  const stores = broken.find((id) => aboutPlants.includes(id))
  const areLists = [response, answer].every(({ json }) => Array.isArray(json))
  const cause =
    explaining.find(isUnlearned) ??
    explaining[0] ??
    (stores !== undefined && areLists ? ({ because: 'rule', id: stores } as const) : undefined) ??
    changing.find(isUnlearned) ??
    (isAboutForm ? changing[0] : undefined)
  if (cause !== undefined) return cause
  if (isOfOtherPlants(response, answer, isForeign)) return { because: 'plants' }
  const open = openPoint(request, response, answer)
  return open === undefined ? { because: 'unknown' } : { because: 'assumption', id: open }
}

const aboutPlants: readonly string[] = ['create.stored', 'list.access']

/** Whether the lists differ only in plants of the check, and the service shows new plants late. */
const isOfHiddenPlants = ({ response, answer, entries, isForeign }: CauseInput): boolean => {
  const entry = entries.get('create.visibility')
  const isImmediate = entry === undefined || 'unseen' in entry || ('value' in entry && entry.value === 'immediate')
  if (isImmediate || !succeeded(response) || !succeeded(answer)) return false
  return lengthOf(response) !== lengthOf(answer) && !isOfOtherPlants(response, answer, isForeign)
}

const isOfOtherPlants = (response: TestResponse, answer: TestResponse, isForeign: CauseInput['isForeign']): boolean => {
  const textOf = (list: TestResponse) =>
    elementsOf(list)
      .filter(isForeign)
      .map((one) => JSON.stringify(one))
      .sort()
      .join()
  return textOf(response) !== textOf(answer)
}

/** An open point of the contract for which the mock knows only one value. */
export const openPoint = (
  request: TestRequest,
  response: TestResponse,
  answer: TestResponse,
): AssumptionId | undefined => {
  if (!isOperation(request)) return 'operation.other'
  if (isCreate(request) && succeeded(answer) && !succeeded(response)) return 'plant.meaning'
  return isList(request) && /[?&](?!limit=)[^&]/.test(request.path) ? 'list.paging' : undefined
}

export const sectionOf = (cause: UnlikenessCause, request: TestRequest): string => {
  if ('id' in cause && cause.because !== 'rule') return findAssumption(cause.id)?.section ?? ''
  const effect = isOperation(request) ? effectOf(request) : undefined
  return Object.values(operations).find((one) => one.effect === effect)?.section ?? '4.3'
}

export const describeCause = (cause: UnlikenessCause): string => {
  if (cause.because === 'rule') return `the service breaks ${cause.id}`
  if (cause.because === 'plants') return 'plants that the check did not create'
  if (cause.because === 'unknown') return 'no assumption covers it'
  if (cause.because !== 'assumption') return `${cause.id} is ${cause.because}`
  return cause.value === undefined ? cause.id : `here ${cause.id} is ${shorten(String(cause.value), 60)}`
}
