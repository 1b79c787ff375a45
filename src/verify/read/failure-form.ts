import { choiceOf, choicesIn, hasPlaceholder, partsOfTemplate } from '../../core/assumptions/template.ts'
import { isReasonPhrase } from '../../core/http/status.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'

export type Sample = { readonly value: unknown; readonly status: number; readonly path?: string }

const anyText = '{detail}'

const fieldPath = /^((?:[^\s{}]*[/.])?)(?:name|id|tag|limit)$/
const fieldNames: readonly string[] = ['name', 'id', 'tag', 'limit']

/**
 * Merges failure bodies into a template: common parts stay, differing parts become placeholders.
 * @returns `undefined` if the samples differ in members or types.
 */
export const templateOf = (all: readonly Sample[], key = ''): unknown => {
  const samples = all.filter(({ value }) => value !== null)
  const [first] = samples
  if (first === undefined) return null
  if (samples.every(({ value, status }) => value === status)) return '{status}'
  if (samples.every(({ value }) => typeof value === 'string')) return ofTexts(samples, key)
  if (samples.every(({ value }) => isJsonObject(value))) return ofObjects(samples, key)
  if (samples.every(({ value }) => Array.isArray(value))) return ofArrays(samples)
  if (!samples.every(({ value }) => typeof value === typeof first.value)) return undefined
  const isConstant =
    samples.every(({ value }) => value === first.value) && generatedSample(key, first.value) === undefined
  return isConstant ? first.value : typeof first.value === 'number' ? 0 : null
}

const ofTexts = (samples: readonly Sample[], key: string): string => {
  if (samples.every(({ value, status }) => value === String(status))) return '{status:text}'
  if (samples.every(({ value, status }) => isReasonPhrase(value, status))) return '{title}'
  const bases = new Set(samples.map(({ value, path }) => basePath(String(value), path)))
  const [base] = bases
  if (bases.size === 1 && base !== undefined) return `${base}{path}`
  const paths = new Set(samples.map(({ value }) => fieldPath.exec(String(value))?.[1]))
  const [path] = paths
  if (paths.size === 1 && path !== undefined) return `${path}{field}`
  const generated = new Set(samples.map(({ value }) => generatedSample(key, value)))
  if (generated.size === 1) {
    const [sample] = generated
    if (sample !== undefined) return String(sample)
  }
  const texts = new Set(samples.map(({ value }) => String(value)))
  const [text = ''] = texts
  if (texts.size > 1) return (samples.every((sample) => isCode(sample, samples)) && wordsByStatus(samples)) || anyText
  // Refuses text that looks like a placeholder, such as `{path}`, because the mock would replace it.
  return text.includes(' ') || hasPlaceholder(text) ? anyText : text
}

const basePath = (text: string, path = ' '): string | undefined =>
  text.endsWith(path) && !/[\s{}]/.test(text) ? text.slice(0, -path.length) : undefined

/** A number other than the status may be a counter if only one response shows the number. */
const isCode = ({ value, status }: Sample, samples: readonly Sample[]): boolean =>
  /^[\w.:-]+$/.test(String(value)) &&
  (!/\d/.test(String(value).replace(String(status), '')) || samples.filter((one) => one.status === status).length > 1)

export const wordsByStatus = (samples: readonly Sample[]): string | undefined => {
  const words = new Map(samples.map(({ value, status }) => [status, String(value)] as const).sort(([a], [b]) => a - b))
  return samples.every(({ value, status }) => words.get(status) === value) ? choiceOf(words) : undefined
}

const ofObjects = (samples: readonly Sample[], parent: string): object | undefined => {
  const objects = samples.map(({ value }) => value as Readonly<Record<string, unknown>>)
  const names = Object.keys(objects[0] ?? {})
  const all = samples.flatMap(({ value, ...rest }) =>
    Object.entries(value as object).map(([key, value]) => ({ ...rest, key, value })),
  )
  // Some services name a member after each invalid field, as in `{"errors":{"name":["…"]}}`.
  if (parent !== '' && all.length > 0 && all.every(({ key }) => fieldNames.includes(key))) {
    const merged = templateOf(all)
    return merged === undefined ? undefined : { '{field}': merged }
  }
  const isSame = (object: object): boolean =>
    Object.keys(object).length === names.length && names.every((name) => Object.hasOwn(object, name))
  if (!objects.every(isSame)) return undefined
  const entries = names.map((name) => {
    const own = all.filter(({ key }) => key === name)
    return [name, templateOf(own, name)] as const
  })
  return entries.some(([, merged]) => merged === undefined) ? undefined : Object.fromEntries(entries)
}

const ofArrays = (samples: readonly Sample[]): readonly unknown[] | undefined => {
  const arrays = samples.map(({ value }) => value as readonly unknown[])
  const [first = []] = arrays
  const isTuple = first.length > 1 && arrays.every((array) => array.length === first.length && array.every(isAtom))
  const positions = isTuple ? first.map((_, i) => i) : [0]
  const merged = positions.flatMap((i) => {
    const elements = samples.flatMap((sample, j) =>
      (arrays[j] ?? []).slice(i, i + 1).map((value) => ({ ...sample, value })),
    )
    return elements.length === 0 ? [] : [templateOf(elements)]
  })
  return merged.includes(undefined) ? undefined : merged
}

const isAtom = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && /^[\w-]+$/.test(value))

export const areSameForms = (a: string, b: string): boolean => normalForm(a) === normalForm(b)

const normalForm = (text: string): string => {
  const { type = '', json } = partsOfTemplate(text)
  const value = jsonOrUndefined(json)
  return value === undefined ? text : `${type.toLowerCase().replaceAll(' ', '')} ${JSON.stringify(normal(value, ''))}`
}

const normal = (value: unknown, key: string): unknown => {
  if (generatedSample(key, value) !== undefined) return anyText
  if (typeof value === 'string') return choicesIn(value).toSorted().join('|')
  if (Array.isArray(value)) return value.map((one) => normal(one, ''))
  if (!isJsonObject(value)) return value
  const sorted = Object.keys(value).sort()
  return Object.fromEntries(sorted.map((name) => [name, normal(value[name], name)]))
}

const idKey =
  /^(?:x[-_])?(?:req(?:uest)?|trace|span|correlation|transaction|incident|activity)[-_]?(?:id|ref|reference|uuid|identifier)$/i
const timeKey =
  /^(?:time|timestamp|ts|date|datetime|now|at)$|[_-](?:time|timestamp|ts|date|at)$|[a-z](?:Time|Timestamp|Date|At)$/
const durationKey =
  /^(?:took|elapsed|duration|latency|uptime)|[_-](?:took|elapsed|duration|latency)$|[a-z](?:Took|Elapsed|Duration|Latency)(?:Ms)?$/

const anyId = '0000000000000000'

/** Patterns for text that differs with every response, such as a timestamp, each with a fixed sample of its format. */
const shapes: readonly (readonly [shape: RegExp, sample: string])[] = [
  [/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, '2000-01-01T00:00:00Z'],
  [/^(?:19|20)\d\d-\d\d-\d\d$/, '2000-01-01'],
  [/^(?:19|20)\d{6}T\d{6}(?:\.\d+)?Z?$/, '20000101T000000Z'],
  [/^(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d$/, '20000101'],
  [/^\d{10}(?:\d{3})?(?:\.\d+)?$/, '1000000000'],
  [/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i, '00000000-0000-4000-8000-000000000000'],
  // The next four patterns match hexadecimal ids, ULIDs, base-62 ids, and texts with an id, such as a traceparent.
  [/^(?=.*\d)[\da-f]{8,}$/i, anyId],
  [/^(?=.*\d)[\w-]{20,}$/, anyId],
  [/(?<![\da-z])(?=[a-f]*\d)[\da-f]{16,}(?![\da-z])/i, anyId],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i, anyId],
]

const minTimestamp = 1e9

/**
 * Returns a fixed sample for an id, time or duration that a service generates for each response. Idempotent.
 * @returns `undefined` for any other value.
 */
export const generatedSample = (key: string, value: unknown): string | number | undefined => {
  if (typeof value === 'number')
    return value >= minTimestamp || [idKey, timeKey, durationKey].some((keys) => keys.test(key)) ? 0 : undefined
  if (typeof value !== 'string' || value === '' || value.includes('{')) return undefined
  const sample = shapes.find(([shape]) => shape.test(value))?.[1]
  if (sample !== undefined) return sample
  if (idKey.test(key)) return anyId
  return durationKey.test(key) ? '0' : undefined
}
