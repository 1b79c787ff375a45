import { matchPath } from '../../core/http/path-template.ts'
import { hidden, type Redact } from '../../core/http/redact.ts'
import type { SentPlant, ServiceRequest } from '../../core/model/request.ts'
import type { SentLimit } from '../../core/operations/limit.ts'
import { knownPaths } from '../../core/operations/operations.ts'
import { isJsonObject } from '../../util/json.ts'

/** Redacts only texts that a response quotes. Keeps texts that decide the response, such as the id of a plant. */
export const withoutSecrets = (request: ServiceRequest, redact: Redact): ServiceRequest => ({
  ...request,
  method: methodWithoutSecrets(request.method, redact),
  path: pathWithoutSecrets(request.path, redact),
  parameters: Object.fromEntries(
    Object.entries(request.parameters).map(([name, text]) => [name, /^-?\d+$/.test(text) ? text : redact(text)]),
  ),
  limits: request.limits.map((limit) => safeLimit(limit, redact)),
  sent: request.sent && safeSent(request.sent, redact),
})

/** Hides the whole HTTP method, because the rest of a partly hidden method could be another valid method. */
export const methodWithoutSecrets = (method: string, redact: Redact): string =>
  redact(method) === method ? method : hidden

export const pathWithoutSecrets = (path: string, redact: Redact): string => {
  const template = knownPaths.find((known) => matchPath(known, path) !== undefined)
  if (template !== undefined) {
    const given = path.split('/')
    return template
      .split('/')
      .map((segment, i) => (segment.startsWith('{') ? redact(given[i] ?? '') : segment))
      .join('/')
  }
  const shown = redact(path)
  return knownPaths.some((known) => matchPath(known, shown) !== undefined) ? shown + hidden : shown
}

const limitWithoutSecret = 999_999_999_999_999

const safeLimit = ({ text, ...numbers }: SentLimit, redact: Redact): SentLimit => {
  const safe = (number: number | undefined): number | undefined =>
    number === undefined || isPlain(String(number), redact) ? number : limitWithoutSecret
  return {
    text: redact(text),
    digits: safe(numbers.digits),
    number: safe(numbers.number),
    prefix: safe(numbers.prefix),
  }
}

const isPlain = (text: string, redact: Redact): boolean => redact(text) === text

const safeSent = (sent: SentPlant, redact: Redact): SentPlant => ({
  ...sent,
  contentType: sent.contentType && redact(sent.contentType),
  coding: sent.coding && redact(sent.coding),
  body: 'error' in sent.body ? { error: redact(sent.body.error) } : { value: safeBody(sent.body.value, redact) },
})

/** Gives secret field names different replacements, because the response depends on the names of unknown fields. */
const safeBody = (body: unknown, redact: Redact): unknown => {
  if (!isJsonObject(body)) return ofSameType(body)
  const names = new Set([...Object.keys(body), 'id', 'name', 'tag'])
  const safeName = (name: string): string => {
    let shown = redact(name)
    if (shown === name) return name
    while (names.has(shown)) shown += hidden
    names.add(shown)
    return shown
  }
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (name === 'id') return [name, safeId(value, redact)]
      if (name === 'name' || name === 'tag') return [name, typeof value === 'string' ? value : ofSameType(value)]
      return [safeName(name), null]
    }),
  )
}

/** Replaces a number whose digits contain a secret, and infinite numbers, which JSON cannot represent. */
const safeId = (id: unknown, redact: Redact): unknown => {
  if (typeof id === 'bigint') return id
  if (typeof id !== 'number') return ofSameType(id)
  if (Number.isInteger(id)) return Number.isSafeInteger(id) ? id : 1e21
  return Number.isFinite(id) && isPlain(String(id), redact) ? id : 0.5
}

const ofSameType = (value: unknown): unknown => {
  if (typeof value === 'string') return ''
  if (typeof value === 'number') return 0
  return Array.isArray(value) ? [] : isJsonObject(value) ? {} : value
}
