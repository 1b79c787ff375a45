/** Names of members that hold another value in each response. */
const idKey =
  /^(?:x[-_])?(?:req(?:uest)?|trace|span|correlation|transaction|incident|activity)[-_]?(?:id|ref|reference|uuid|identifier)$/i
const timeKey =
  /^(?:time|timestamp|ts|date|datetime|now|at)$|[_-](?:time|timestamp|ts|date|at)$|[a-z](?:Time|Timestamp|Date|At)$/
const durationKey =
  /^(?:took|elapsed|duration|latency|uptime)|[_-](?:took|elapsed|duration|latency)$|[a-z](?:Took|Elapsed|Duration|Latency)(?:Ms)?$/

const anyId = '0000000000000000'

/** Texts that a service makes for each response, with a fixed sample that a client can read as the same. */
const shapes: readonly (readonly [shape: RegExp, sample: string])[] = [
  [/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, '2000-01-01T00:00:00Z'],
  [/^(?:19|20)\d\d-\d\d-\d\d$/, '2000-01-01'],
  [/^(?:19|20)\d{6}T\d{6}(?:\.\d+)?Z?$/, '20000101T000000Z'],
  [/^(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d$/, '20000101'],
  [/^\d{10}(?:\d{3})?(?:\.\d+)?$/, '1000000000'],
  [/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i, '00000000-0000-4000-8000-000000000000'],
  // Hexadecimal; ULID and base 62; text that contains such an id, such as a traceparent or a URN.
  [/^(?=.*\d)[\da-f]{8,}$/i, anyId],
  [/^(?=.*\d)[\w-]{20,}$/, anyId],
  [/(?<![\da-z])(?=[a-f]*\d)[\da-f]{16,}(?![\da-z])/i, anyId],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i, anyId],
]

/** Seconds since 1970; a larger number may be the time. */
const minTimestamp = 1e9

/**
 * The fixed sample that stands for a value which a service makes for each response: an id, a time, a duration.
 * @param key The name of the member that holds the value; empty for none.
 * @returns `undefined` for any other value. A sample is the sample of itself.
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
