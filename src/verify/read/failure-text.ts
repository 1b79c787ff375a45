import { chooseWords, hasPlaceholder } from '../../core/assumptions/template.ts'
import { isMarkupType } from '../../core/http/media-type.ts'
import { reasonPhrase } from '../../core/http/status.ts'
import { isInstance, wordsByStatus } from './failure-form.ts'

/** The maximum length of a failure, in characters. Stack traces make failures longer than their templates. */
export const maxFailureText = 32_000

export type TextSample = { readonly text: string; readonly status: number }

/**
 * The template that matches all texts: common parts, placeholders for status and title, and `{detail}` for each
 * differing part.
 * @param isVaried Whether the texts respond to different requests. After one request, a sentence or a long number may
 * be about that request.
 * @returns `undefined` if the texts differ in their markup, or contain a placeholder themselves.
 */
export const textTemplateOf = (
  samples: readonly TextSample[],
  contentType: string,
  isVaried: boolean,
): string | undefined => {
  if (samples.some(({ text }) => hasPlaceholder(text))) return undefined
  const isMarkup = isMarkupType(contentType)
  // Tags are at odd positions. `<br>` counts as text.
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

/** In a single response, a number, path or method may come from the request. */
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

/** Ignores values that a service generates for each response. */
export const isInstanceOfText = (template: string, { text, status }: TextSample): boolean =>
  isInstance(
    withPlaceholders(text, status),
    withPlaceholders(chooseWords(template, status), status).split(/\{(?:detail|field)\}/),
  )
