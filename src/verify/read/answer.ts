import { isJsonObject } from '../../util/json.ts'
import { type AnswerPart, answerParts } from './alikeness.ts'
import { areSameForms, templateOf } from './failure-form.ts'
import { isInstanceOfText } from './failure-text.ts'
import { lengthOf, type TestResponse } from './response.ts'
import { excerpt } from './verdict.ts'

export type CompareOptions = {
  readonly textTemplates: readonly string[]
  readonly isShuffled: boolean
}

export const differingParts = (
  service: TestResponse,
  mock: TestResponse,
  options: CompareOptions,
): readonly AnswerPart[] => {
  const isSame: Readonly<Record<AnswerPart, boolean>> = {
    status: service.status === mock.status,
    type: (!hasBody(service) && !hasBody(mock)) || typeOf(service) === typeOf(mock),
    body: hasSameBody(service, mock, options),
  }
  return answerParts.filter((part) => !isSame[part])
}

/** A Content-Type without case, spaces and quotes, for comparison. */
export const normalType = (contentType: string | null | undefined): string =>
  (contentType ?? '').toLowerCase().replaceAll(/[\s"]/g, '')

const typeOf = ({ headers }: TestResponse): string => normalType(headers.get('content-type'))

const hasBody = ({ json, text }: TestResponse): boolean => json !== undefined || text !== ''

export const hasSameBody = (service: TestResponse, mock: TestResponse, options: CompareOptions): boolean => {
  if (!hasBody(service) || !hasBody(mock)) return hasBody(service) === hasBody(mock)
  if (service.json === undefined && mock.json === undefined)
    return isInstanceOfSame(service, mock, options.textTemplates)
  // perf: templates of objects with other members differ.
  if (isJsonObject(service.json) && isJsonObject(mock.json) && membersOf(service.json) !== membersOf(mock.json))
    return false
  // Compares failures as templates, which hide generated values and sentences.
  if (service.status >= 400 && mock.status >= 400)
    return areSameForms(formOf({ ...service, json: withSampleNumbers(service.json, mock.json) }), formOf(mock))
  if (Array.isArray(service.json) && Array.isArray(mock.json) && options.isShuffled)
    return service.json.length === mock.json.length
  return JSON.stringify(service.json) === JSON.stringify(mock.json)
}

const membersOf = (object: object): string => Object.keys(object).sort().join()

/** Replaces numbers by 0 where the sample has 0: in a template, 0 marks a number that differs between responses. */
const withSampleNumbers = (value: unknown, sample: unknown): unknown => {
  if (typeof value === 'number' && sample === 0) return 0
  if (Array.isArray(value) && Array.isArray(sample))
    return value.map((element, i) => withSampleNumbers(element, sample[i]))
  if (!isJsonObject(value) || !isJsonObject(sample)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withSampleNumbers(one, sample[key])]))
}

/** The template of a failure. `{title}` becomes `{detail}`, so that both compare as equal. */
const formOf = ({ json, status }: TestResponse): string =>
  JSON.stringify(templateOf([{ value: json, status }]) ?? null).replaceAll('{title}', '{detail}')

/** Whether service and mock match the same template: the text of the service, or a learned template. */
const isInstanceOfSame = (service: TestResponse, mock: TestResponse, templates: readonly string[]): boolean =>
  [service.text, ...templates].some((template) =>
    [service, mock].every((response) => isInstanceOfText(template, response)),
  )

export const describeDifference = (
  service: TestResponse,
  mock: TestResponse,
  [part]: readonly AnswerPart[],
): string => {
  if (part === 'status') return `${service.status} at the service, ${mock.status} at the mock`
  if (part === 'type') return `Content-Type ${shownType(service)} at the service, ${shownType(mock)} at the mock`
  if (Array.isArray(service.json) && Array.isArray(mock.json)) return describeLists(service, mock)
  const [ofService, ofMock] = excerpts(bodyText(service), bodyText(mock))
  return `body ${ofService} at the service, ${ofMock} at the mock`
}

const shownType = ({ headers }: TestResponse): string => headers.get('content-type') ?? 'none'

const bodyText = ({ json, text, redact }: TestResponse): string =>
  json === undefined ? text : redact(JSON.stringify(json))

/** The longest common start of two bodies that excerpts show in full, in characters. */
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
