import type { Entry } from '../../core/assumptions/file.ts'
import { chooseWords, hasPlaceholder, namedTemplates } from '../../core/assumptions/template.ts'
import { type ProblemType, problemUri } from '../../core/contract/problems.ts'
import { isJsonLikeType, isMarkupType } from '../../core/http/media-type.ts'
import { reasonPhrase } from '../../core/http/status.ts'
import { groupBy } from '../../util/group-by.ts'
import { isJsonObject } from '../../util/json.ts'
import { areSameForms, templateOf, wordsByStatus } from './failure-form.ts'
import { known, other } from './finding.ts'
import type { TestResponse } from './response.ts'

export const formOf = (refusals: readonly TestResponse[], jsonType: string, isVaried?: boolean): Entry => {
  const kinds = groupBy(refusals, (refusal) => kindOf(refusal, jsonType))
  const [kind = '', ...otherKinds] = kinds.keys()
  if (otherKinds.length > 0) return other([...kinds.keys()].join(', or '), nearestIn(kinds, jsonType))
  if (!kind.startsWith(jsonObjects) && (!kind.includes('/') || isJsonLikeType(kind))) return known('error.body', kind)
  return kind.startsWith(jsonObjects)
    ? jsonFormOf(refusals, jsonType)
    : textFormOf(refusals, kind, isVaried ?? areVaried(refusals))
}

const nearestIn = (groups: ReadonlyMap<string, readonly TestResponse[]>, jsonType: string) => {
  const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  return groups.size > 1 ? formOf(largest, jsonType).value : undefined
}

const shapeOf = (json: unknown): string => {
  if (Array.isArray(json)) return `[${json.slice(0, 1).map(shapeOf)}]`
  if (!isJsonObject(json)) return json === null ? 'null' : typeof json
  return `{${Object.keys(json)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${shapeOf(json[key])}`)}}`
}

const jsonFormOf = (refusals: readonly TestResponse[], jsonType: string): Entry => {
  const merged = templateOf(refusals.map(({ json, ...refusal }) => ({ ...refusal, value: json })))
  const members = new Set(refusals.map(({ json, redact }) => redact(Object.keys(json as object).join('+'))))
  if (merged === undefined) {
    const nearest = nearestIn(
      groupBy(refusals, ({ json }) => shapeOf(json)),
      jsonType,
    )
    return other(`${jsonObjects} that differ in fields or their types: ${[...members].join('; ')}`, nearest)
  }
  return templateIn(refusals, errorTypeOf(refusals[0] as TestResponse, jsonType), merged)
}

const textFormOf = (refusals: readonly TestResponse[], type: string, isVaried: boolean): Entry => {
  // Makes no template of a body that is not UTF-8 (U+FFFD), because a template cannot repeat the original bytes.
  const isText = refusals.every(({ text }) => !text.includes('\ufffd'))
  const merged = isText ? textTemplateOf(refusals, type, isVaried) : undefined
  if (merged === undefined) return other(`${type} that differs in more than status, title and detail`)
  return templateIn(refusals, type, merged)
}

const areVaried = (refusals: readonly TestResponse[]): boolean => new Set(refusals.map(({ curl }) => curl())).size > 1

const templateIn = ([first]: readonly TestResponse[], type: string | undefined, merged: unknown): Entry => {
  const json = first?.redact(JSON.stringify(merged)) ?? ''
  if (json.length > maxTemplate) return other(`a body with over ${maxTemplate} characters`)
  const text = type === undefined ? json : `${type} ${json}`
  const [named = text] = Object.entries(namedTemplates).find(([, template]) => template === text) ?? []
  return known('error.body', named, `${type ?? 'JSON'}: ${json}`)
}

const jsonObjects = 'JSON objects'
const maxTemplate = 4_000
const kindOf = (response: TestResponse, jsonType: string): string => {
  const { text, json: body } = response
  const type = response.headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (!type.includes('/')) return type === '' ? 'a body without a Content-Type' : `the Content-Type ${type}`
  if (!isJsonObject(body)) return type
  if (type === 'application/problem+json' && isOwnProblem(body)) return 'problem'
  const errorType = errorTypeOf(response, jsonType)
  if (errorType !== undefined) return `${jsonObjects} as ${errorType}`
  const isOwnForm =
    Object.keys(body).sort().join() === 'error,message' && /^[a-z]+(?:-[a-z]+)+$/.test(String(body.error))
  return isOwnForm ? 'json' : jsonObjects
}

const isOwnProblem = ({ type }: Readonly<Record<string, unknown>>): boolean =>
  typeof type === 'string' && type.startsWith(problemUri('' as ProblemType))

const errorTypeOf = ({ headers }: TestResponse, jsonType: string): string | undefined => {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const isUsual = type.toLowerCase() === jsonType && parameters.every((parameter) => /^charset=/i.test(parameter))
  return isUsual ? undefined : [type, ...parameters].join('; ')
}

export const isSameFailure = (service: TestResponse, mock: TestResponse, template: string | undefined): boolean => {
  if (!hasBody(service) || !hasBody(mock)) return hasBody(service) === hasBody(mock)
  if (service.json === undefined && mock.json === undefined)
    return [service.text, ...(template === undefined ? [] : [template])].some((one) =>
      [service, mock].every((response) => isInstanceOfText(one, response)),
    )
  return areSameForms(
    shapeOfFailure({ ...service, json: withSampleNumbers(service.json, mock.json) }),
    shapeOfFailure(mock),
  )
}

const hasBody = ({ json, text }: TestResponse): boolean => json !== undefined || text !== ''

/** In a template, 0 marks a number that differs between responses. */
const withSampleNumbers = (value: unknown, sample: unknown): unknown => {
  if (typeof value === 'number' && sample === 0) return 0
  if (Array.isArray(value) && Array.isArray(sample))
    return value.map((element, i) => withSampleNumbers(element, sample[i]))
  if (!isJsonObject(value) || !isJsonObject(sample)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withSampleNumbers(one, sample[key])]))
}

const shapeOfFailure = ({ json, status }: TestResponse): string =>
  JSON.stringify(templateOf([{ value: json, status }]) ?? null).replaceAll('{title}', '{detail}')

/** Maximum characters of a failure body. A template may be far shorter: a placeholder can replace a stack trace. */
export const maxFailureText = 32_000

type TextSample = { readonly text: string; readonly status: number }

/** @param isVaried True if the texts answer different requests. Otherwise all may quote a long number of the request. */
const textTemplateOf = (samples: readonly TextSample[], contentType: string, isVaried: boolean): string | undefined => {
  if (samples.some(({ text }) => hasPlaceholder(text))) return undefined
  const isMarkup = isMarkupType(contentType)
  const parts = samples.map(({ text, status }, sample) =>
    withPlaceholders(isVaried ? text : text.replaceAll(/\d{4,}/g, String(sample)), status).split(
      isMarkup ? /(<(?!br\b)[^<>]*>)/i : /(?!)/,
    ),
  )
  const [first = []] = parts
  const isTag = (i: number): boolean => i % 2 === 1
  const hasSameTags = parts.every(
    (part) => part.length === first.length && part.every((text, i) => !isTag(i) || text === first[i]),
  )
  if (!hasSameTags) return undefined
  const merged = first.map((text, i) => {
    const runs = parts.map((part, sample) => ({ value: part[i] ?? text, status: samples[sample]?.status ?? 0 }))
    return runOf(runs, isMarkup || isVaried)
  })
  return merged.join('')
}

const generated: readonly (readonly [shape: RegExp, sample: string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '2000-01-01T00:00:00Z'],
  [
    /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [\w ]{5,12} (?:\d{4} )?\d\d:\d\d:\d\d(?: [A-Z]{3,4})?(?: \d{4})?/g,
    'Sat, 01 Jan 2000 00:00:00 GMT',
  ],
  [
    /(?<![\w-])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\w-])/gi,
    '00000000-0000-4000-8000-000000000000',
  ],
  [/(?<![\w-])(?=[a-f]*\d)[\da-f]{16,}(?![\w-])/gi, '0000000000000000'],
]

const withPlaceholders = (text: string, status: number): string =>
  generated
    .reduce((text, [shape, sample]) => text.replaceAll(shape, sample), text)
    .replaceAll(reasonPhrase(status), '{title}')
    .replaceAll(new RegExp(`(?<![\\w.-])${status}(?![\\w-]|\\.\\d)`, 'g'), '{status}')

const labels = /^(?:\{\w+\}|[A-Z]\w*(?: \{\w+\})?: |[^\w{}&<])*/

type Run = { readonly value: string; readonly status: number }

/** If only one response has a number, path or method, it may be a copy from the request. */
const isEvident = ({ value, status }: Run, runs: readonly Run[]): boolean =>
  !/\d|\/|\b(?:GET|PROPFIND)\b/.test(value) || runs.filter((run) => run.status === status).length > 1

const runOf = (runs: readonly Run[], keepsSentence: boolean): string => {
  const texts = runs.map(({ value }) => value)
  const [first = ''] = texts
  const isConstant = texts.every((text) => text === first)
  if (isConstant && (keepsSentence || !/\w \w/.test(first.replaceAll(/\{\w+\}/g, '')))) return first
  const starts = new Set(texts.map((text) => labels.exec(text)?.[0] ?? ''))
  const ends = new Set(texts.map((text) => /\s*$/.exec(text)?.[0] ?? ''))
  const [start = '', end = ''] = [...(starts.size === 1 ? starts : ['']), ...(ends.size === 1 ? ends : [''])]
  const differing = runs.map(({ value, status }) => ({
    value: value.slice(start.length, value.length - end.length),
    status,
  }))
  const isByStatus = !isConstant && keepsSentence && differing.every((run) => isEvident(run, differing))
  return `${start}${(isByStatus && wordsByStatus(differing)) || '{detail}'}${end}`
}

const isInstanceOfText = (template: string, { text, status }: TextSample): boolean =>
  isInstance(
    withPlaceholders(text, status),
    withPlaceholders(chooseWords(template, status), status).split(/\{(?:detail|field)\}/),
  )

const isInstance = (text: string, [first = '', ...rest]: readonly string[]): boolean => {
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return from <= text.length - last.length
}
