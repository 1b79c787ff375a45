import type { FetchLike } from 'plant-mock/conformance'
import type { Scenario, Step } from './imitation-corpus.ts'

/** The parts of a response that are compared. */
export type Answer = {
  readonly status: number
  /** Media type and charset in lower case. */
  readonly type: string
  /** The part that a client can rely on: the plants, the shape of a failure, or whether a body exists at all. */
  readonly body: string
  readonly hasChallenge: boolean
}

const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? '').toLowerCase().replaceAll(/\s|"/g, '')

/** The keys and types of a value; an array has the shape of its first element. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  const entries = Object.entries(value).map(([key, content]) => [key, shapeOf(content)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const bodyOf = (text: string, status: number, type: string): string => {
  if (text === '') return 'empty'
  if (!/json/.test(type)) return 'text'
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(status < 400 ? value : shapeOf(value))
  } catch {
    return 'no JSON'
  }
}

const origin = 'http://plants.example'

/** Sends a step. @param send Takes absolute URLs. */
const answer = async (send: FetchLike, base: string, { method, path, headers, body }: Step): Promise<Answer> => {
  const sendOnce = () =>
    send(`${base}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: body as BodyInit }),
    })
  // A service may close the connection while or after it refuses a large body.
  const response = await sendOnce().catch(sendOnce)
  const type = mediaType(response.headers)
  const { status } = response
  return {
    status,
    type,
    body: bodyOf(await response.text(), status, type),
    hasChallenge: response.headers.has('www-authenticate'),
  }
}

/** Sends a scenario in order. @returns The answers to its steps, without those to its setup. */
export const answers = async (
  { setup = [], steps }: Scenario,
  send: FetchLike,
  base = origin,
): Promise<readonly Answer[]> => {
  const all: Answer[] = []
  for (const step of [...setup, ...steps]) all.push(await answer(send, base, step))
  return all.slice(setup.length)
}

export const areEqual = (a: Answer, b: Answer): boolean =>
  a.status === b.status && a.type === b.type && a.body === b.body

const maxShown = 90

export const describeAnswer = ({ status, type, body }: Answer): string =>
  `${status} ${type} ${body.length > maxShown ? `${body.slice(0, maxShown)}…` : body}`
