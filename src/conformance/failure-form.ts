import { partsOfTemplate } from '../assumptions/template.ts'
import { isReasonPhrase } from '../http/status.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { generatedSample } from './generated-values.ts'

/** A value at one place of the bodies of failures, with the status of its response. */
export type Sample = { readonly value: unknown; readonly status: number }

const anyText = '{detail}'

/**
 * The template of which all samples are instances: what they share, with placeholders for the rest; `undefined` when
 * they differ in type. A sample that is null has no type.
 * @param key The name of the member that holds the samples; empty for none.
 */
export const templateOf = (all: readonly Sample[], key = ''): unknown => {
  const samples = all.filter(({ value }) => value !== null)
  const [first] = samples
  if (first === undefined) return null
  if (samples.every(({ value, status }) => value === status)) return '{status}'
  if (samples.every(({ value }) => typeof value === 'string')) return ofTexts(samples, key)
  if (samples.every(({ value }) => isJsonObject(value))) return ofObjects(samples)
  if (samples.every(({ value }) => Array.isArray(value))) return ofArrays(samples)
  if (!samples.every(({ value }) => typeof value === typeof first.value)) return undefined
  const isConstant =
    samples.every(({ value }) => value === first.value) && generatedSample(key, first.value) === undefined
  return isConstant ? first.value : typeof first.value === 'number' ? 0 : null
}

const ofTexts = (samples: readonly Sample[], key: string): string => {
  if (samples.every(({ value, status }) => value === String(status))) return '{status:text}'
  if (samples.every(({ value, status }) => isReasonPhrase(value, status))) return '{title}'
  const generated = new Set(samples.map(({ value }) => generatedSample(key, value)))
  if (generated.size === 1) {
    const [sample] = generated
    if (sample !== undefined) return String(sample)
  }
  const texts = new Set(samples.map(({ value }) => String(value)))
  const [text = ''] = texts
  return texts.size > 1 || text.includes(' ') ? anyText : text
}

const ofObjects = (samples: readonly Sample[]): object | undefined => {
  const objects = samples.map(({ value }) => value as Readonly<Record<string, unknown>>)
  const keys = Object.keys(objects[0] ?? {}).filter((key) => objects.every((object) => Object.hasOwn(object, key)))
  const entries = keys.map((key) => [
    key,
    templateOf(
      objects.map((object, i) => ({ value: object[key], status: samples[i]?.status ?? 0 })),
      key,
    ),
  ])
  return entries.some(([, merged]) => merged === undefined) ? undefined : Object.fromEntries(entries)
}

const ofArrays = (samples: readonly Sample[]): readonly unknown[] | undefined => {
  const elements = samples.flatMap(({ value, status }) =>
    (value as readonly unknown[]).slice(0, 1).map((element) => ({ value: element, status })),
  )
  if (elements.length === 0) return []
  const merged = templateOf(elements)
  return merged === undefined ? undefined : [merged]
}

/** Whether two forms of failures are the same, apart from values that a service makes for each response. */
export const areSameForms = (a: string, b: string): boolean => includesForm(a, b) && includesForm(b, a)

/** Whether a template is that of some of the samples of another one. */
export const includesForm = (whole: string, part: string): boolean => {
  if (whole === part) return true
  const [wholes, parts] = [partsOfTemplate(whole), partsOfTemplate(part)]
  const json = jsonOrUndefined(parts.json)
  return json !== undefined && wholes.type === parts.type && includes(jsonOrUndefined(wholes.json), json, '')
}

const includes = (whole: unknown, part: unknown, key: string): boolean => {
  if (whole === part || whole === null) return true
  if (isJsonObject(whole))
    return (
      isJsonObject(part) &&
      Object.entries(whole).every(([name, value]) => Object.hasOwn(part, name) && includes(value, part[name], name))
    )
  if (Array.isArray(whole)) return Array.isArray(part) && (part.length === 0 || includes(whole[0], part[0], ''))
  if (generatedSample(key, whole) !== undefined && (part === anyText || generatedSample(key, part) !== undefined))
    return true
  return whole === anyText ? typeof part === 'string' : whole === 0 && typeof part === 'number'
}
