import { filterHeaders } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { Plants } from '../../core/model/plants.ts'
import { step } from '../../core/model/step.ts'
import { parseLimit } from '../../core/operations/limit.ts'
import { isJsonObject } from '../../util/json.ts'
import { escapeHtml } from '../../util/text.ts'
import type { Mutation, StepArguments } from './mutant.ts'

const reply = (change: (reply: Reply, body: string, ...taken: StepArguments) => Reply): Mutation => ({
  step(after, ...taken) {
    const { status, body } = after.reply
    const isChanged = status >= 200 && status < 300 && body !== undefined
    return isChanged ? { ...after, reply: change(after.reply, body, ...taken) } : after
  },
})

const text = (change: (text: string) => string | undefined): Mutation =>
  reply((given, body) => ({ ...given, body: change(body) }))

const json = (change: (json: unknown) => unknown): Mutation => text((body) => JSON.stringify(change(JSON.parse(body))))

const withType = (reply: Reply, type: string): Reply => ({
  ...reply,
  headers: [...filterHeaders(reply.headers, (name) => name !== 'content-type'), 'Content-Type', type],
})

type Fields = Readonly<Record<string, unknown>>

export const plant = (change: (plant: Fields) => Fields): Mutation =>
  json((shown) => (isJsonObject(shown) ? change(shown) : shown))

const list = (change: (elements: readonly Fields[]) => unknown): Mutation =>
  json((shown) => (Array.isArray(shown) ? change(shown) : shown))

export const element = (change: (element: Fields) => Fields): Mutation =>
  list((elements) => elements.map((one, at) => (at === elements.length - 1 ? change(one) : one)))

const listedNames = (change: (name: string) => string): Mutation =>
  list((elements) => elements.map((one) => ({ ...one, name: change(String(one.name)) })))

export const failing = reply((given) => ({ ...withType(given, 'text/plain'), status: 500, body: 'Failed' }))

export const cut = text((body) => body.slice(0, Math.floor(body.length / 2)))

export const empty = text(() => undefined)

export const plainText = reply((given) => ({ ...withType(given, 'text/plain'), body: 'Created' }))

export const declaredAsHtml = reply((given) => withType(given, 'text/html'))

export const without =
  (field: string) =>
  (plant: Fields): Fields =>
    Object.fromEntries(Object.entries(plant).filter(([name]) => name !== field))

export const having =
  (fields: Fields) =>
  (plant: Fields): Fields => ({ ...plant, ...fields })

export const insideObject = json((plants) => ({ plants }))

export const emptyList = json(() => [])

export const nullIfEmpty = list((elements) => (elements.length === 0 ? null : elements))

export const escapedNames = listedNames(escapeHtml)

export const mangledNames = listedNames((name) => Buffer.from(name).toString('latin1'))

export const twice = reply((given, body, _, { limits }, assumptions) => {
  const plants: unknown = JSON.parse(body)
  const { limit = 0 } = parseLimit(limits, assumptions) as { readonly limit?: number }
  if (!Array.isArray(plants) || plants.length === 0) return given
  return { ...given, body: JSON.stringify([plants[0], ...plants].slice(0, limit)) }
})

export const foreign = reply((_, __, state, request, assumptions) => {
  const plants = Plants.from([...state.plants].map(({ id, name, tag }) => ({ id, name, tag, access: undefined })))
  // Marks the caller as listed: the mock would refuse a caller that no plant names in `access`.
  const caller = { ...request.caller, isListed: true }
  return step({ ...state, plants }, { ...request, caller }, assumptions).reply
})
