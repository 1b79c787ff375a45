import type { FetchLike } from 'plant-mock/conformance'
import { numbers } from '../conformance.ts'
import { callers } from '../imitation-corpus.ts'

/** What is compared of a response, by rules of its own: `src/verify/` has others. */
type Shape = { readonly status: number; readonly type: string; readonly body: string }

type Request = { readonly path: string; readonly init: RequestInit }

/** Exchanges on one pair of instances, so that a difference in the store ends soon. */
const perEpisode = 10

/** Requests as clients and testers send them: mostly valid, some with each kind of mistake. */
const createTraffic = (random: () => number) => {
  const below = (end: number): number => Math.floor(random() * end)
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const ids: number[] = []
  const newPlant = () => {
    const id = 10_000 + below(1_000_000)
    ids.push(id)
    return {
      id,
      name: `${one(['Aloe', 'basil', 'Cactus', 'dill', 'Fern'])} ${below(10_000)}`,
      tag: one(['herb', 'shade', 'sun']),
    }
  }
  const bearer = (name: keyof typeof callers): Record<string, string> => ({ authorization: `Bearer ${callers[name]}` })
  const list = (query: string, headers = bearer('alice')): Request => ({ path: `/plants${query}`, init: { headers } })
  const create = (
    body: unknown,
    headers: Record<string, string> = bearer('alice'),
    type: string | null = 'application/json',
  ): Request => ({
    path: '/plants',
    init: {
      method: 'POST',
      headers: { ...headers, ...(type !== null && { 'content-type': type }) },
      body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
    },
  })
  const strange = (): unknown => one([1, false, null, ['x'], { x: 1 }, 2.5])
  const without = (field: string) => Object.fromEntries(Object.entries(newPlant()).filter(([name]) => name !== field))
  const valid = (): Request => create(newPlant(), bearer(one(['alice', 'alice', 'bob'])))
  const kinds: readonly (readonly [weight: number, make: () => Request])[] = [
    [10, () => list('', bearer(one(['alice', 'bob'])))],
    [24, () => list(`?limit=${1 + below(30)}`, bearer(one(['alice', 'alice', 'bob'])))],
    [9, () => list(`?limit=${one(['0', '-3', 'x', '1.5', '', '99999', '3abc', '2&limit=3'])}`)],
    [30, valid],
    [3, () => create({ ...newPlant(), id: one(ids) ?? 1 })],
    [3, () => create(without(one(['id', 'name', 'tag'])))],
    [4, () => create({ ...newPlant(), [one(['id', 'name', 'tag'])]: strange() })],
    [2, () => create({ ...newPlant(), [one(['name', 'tag'])]: '' })],
    [1, () => create({ ...newPlant(), height: 3 })],
    [2, () => create(one(['{"name": ', '{]', 'name=x', '']))],
    [1, () => create(newPlant(), bearer('alice'), one(['text/plain', 'text/xml', null]))],
    [3, () => list(one(['', '?limit=2']), {})],
    [2, () => list('', { authorization: `Bearer nobody-${below(9)}` })],
    [2, () => list('', { authorization: one(['Basic YTpi', 'Bearer', 'Bearer ?']) })],
    [1, () => create(newPlant(), {})],
    [2, () => ({ path: one(['/', '/health', '/plant']), init: { headers: bearer('alice') } })],
    [1, () => ({ path: '/plants', init: { method: one(['PUT', 'DELETE', 'PATCH']), headers: bearer('alice') } })],
  ]
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0)
  return (): Request => {
    let at = below(total)
    const kind = kinds.find(([weight]) => {
      at -= weight
      return at < 0
    })
    return (kind?.[1] ?? valid)()
  }
}

const isSentence = (text: string): boolean => /\S\s+\S/.test(text) || /^[A-Z][a-z]+$/.test(text)
/** Times and ids differ in each response; sentences are for people. */
const wordsOf = (text: string): string => {
  if (/\d{4}-\d\d-\d\dT|^req-\d+$|^[\da-f]{16,}$/.test(text)) return 'generated'
  return isSentence(text) ? 'a sentence' : text
}
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value === 'string') return wordsOf(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, member]) => [name, shapeOf(member)])
    .sort()
}

const bodyOf = (text: string, { status }: Response): string => {
  if (text === '') return ''
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(status < 400 ? value : shapeOf(value))
  } catch {
    return text
      .split(/(<(?!br)[^>]*>)/)
      .map((part) => (part.startsWith('<') ? part : wordsOf(part.trim())))
      .join('')
  }
}

const respond = async (send: FetchLike, base: string, { path, init }: Request): Promise<Shape> => {
  const response = await send(`${base}${path}`, { ...init, redirect: 'manual' })
  const type = (response.headers.get('content-type') ?? '').toLowerCase().replaceAll(' ', '')
  return { status: response.status, type, body: bodyOf(await response.text(), response) }
}

type Side = { readonly send: FetchLike; readonly base: string; readonly close?: () => Promise<void> }

/**
 * The share of exchanges in which two services respond alike, measured with requests and rules that `src/verify/` does not have.
 * @param open Opens a fresh pair: the service, and a mock of it.
 */
export const shareAlike = async (
  open: () => Promise<readonly [Side, Side]>,
  exchanges: number,
  seed: number,
  onDifference: (request: Request, service: Shape, mock: Shape) => void = () => undefined,
): Promise<number> => {
  const next = createTraffic(numbers(seed))
  let alike = 0
  for (let done = 0; done < exchanges; done += perEpisode) {
    const pair = await open()
    for (let i = 0; i < perEpisode; i++) {
      const request = next()
      const [service, mock] = [
        await respond(pair[0].send, pair[0].base, request),
        await respond(pair[1].send, pair[1].base, request),
      ]
      if (JSON.stringify(service) === JSON.stringify(mock)) alike++
      else onDifference(request, service, mock)
    }
    for (const { close } of pair) await close?.()
  }
  return alike / exchanges
}
