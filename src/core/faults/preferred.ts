import { tokenPattern } from '../http/grammar.ts'

/** The preferences of one request, from its header `Prefer` (RFC 7240). */
export type Preferred = { readonly [Name in keyof typeof ranges]?: number }

/** The preferences that the mock honours, with their ranges: a status as Prism takes it, and milliseconds. */
const ranges = {
  code: { min: 400, max: 599 },
  delay: { min: 0, max: 60_000 },
} as const

type PreferenceName = keyof typeof ranges

/** One element of the header. */
type Preference = { readonly name: string; readonly value: string }

/**
 * The preferences of a request that the mock honours; `undefined` without any. The first one of a name counts
 * (RFC 7240, 2). Others, malformed ones and values out of range are ignored.
 */
export const preferredIn = (prefer: string | undefined): Preferred | undefined => {
  // perf: most requests have no such header (`npm run bench`, GET).
  if (prefer === undefined) return undefined
  const preferred: { [Name in PreferenceName]?: number } = {}
  for (const [name, value] of firstOfEach(prefer)) if (isHonoured(name, value)) preferred[name] = Number(value)
  return Object.keys(preferred).length === 0 ? undefined : preferred
}

/** The header without the preferences that were honoured; `undefined` when none is left. */
export const withoutHonoured = (prefer: string, preferred: Preferred): string | undefined => {
  const rest = elementsOf(prefer).filter((text) => !((preferenceIn(text)?.name ?? '') in preferred))
  return rest.length === 0 ? undefined : rest.join(', ')
}

/** The headers of a response to a request with preferences: `Preference-Applied` says which ones it honours. */
export const appliedHeaders = (preferred: Preferred): readonly string[] => [
  'Preference-Applied',
  Object.entries(preferred)
    .map(([name, value]) => `${name}=${value}`)
    .join(', '),
  // A cache must not use the response for a request without the preference (RFC 7240, 2).
  'Vary',
  'Prefer',
]

const isHonoured = (name: string, value: string): name is PreferenceName => {
  if (!Object.hasOwn(ranges, name) || !/^(?:0|[1-9]\d{0,4})$/.test(value)) return false
  const { min, max } = ranges[name as PreferenceName]
  return Number(value) >= min && Number(value) <= max
}

/** The value of the first preference of each name. */
const firstOfEach = (prefer: string): ReadonlyMap<string, string> => {
  const firsts = new Map<string, string>()
  for (const text of elementsOf(prefer)) {
    const { name, value } = preferenceIn(text) ?? {}
    if (name !== undefined && !firsts.has(name)) firsts.set(name, value ?? '')
  }
  return firsts
}

/** The texts between the commas or semicolons that are outside of quoted strings, without empty ones. */
const splitAt = (separator: ',' | ';', text: string): readonly string[] => {
  const parts: string[] = []
  let isQuoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== '')
}

const elementsOf = (prefer: string): readonly string[] => splitAt(',', prefer)

/** A token, and its value after an equals sign: a token or a quoted string (RFC 7240, 2). */
const pair = new RegExp(String.raw`^(${tokenPattern})(?:[ \t]*=[ \t]*(?:(${tokenPattern})|"((?:[^"\\]|\\.)*)"))?$`)

/** A longer element is none that the mock honours. `pair` keeps a position for each character of a quoted string. */
const maxElementLength = 10_000

/** `undefined` for a malformed element. Parameters have no meaning here, but their syntax counts. */
const preferenceIn = (text: string): Preference | undefined => {
  if (text.startsWith(';') || text.length > maxElementLength) return undefined
  const [first, ...parameters] = splitAt(';', text).map((part) => pair.exec(part))
  if (!first || parameters.includes(null)) return undefined
  const [, name = '', token, quoted] = first
  return { name: name.toLowerCase(), value: token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '' }
}
