import { shownPlantViolations } from '../contract/schemas.ts'
import type { Violation } from '../http/exchange.ts'
import { isJson } from '../operations/create-plant/handle.ts'
import type { OperationId } from '../operations/operations.ts'

/** What of an answer is looked at. */
type Answer = {
  readonly status: number
  readonly contentType: string | undefined
  /** As text; `undefined` when it could not be held or decoded. */
  readonly body: string | undefined
}

/** What of its request matters: the plant that was sent, and how many plants were asked for. */
type Request = { readonly query: string; readonly body: string | undefined }

type Found = Omit<Violation, 'in'>

/**
 * Compares an answer with what the contract shows of answers. Of failures it shows nothing but that their bodies
 * are JSON (1 and 7).
 */
export const replyViolationsIn = (
  operation: OperationId,
  request: Request,
  answer: Answer,
): readonly Violation[] => {
  const { status, contentType, body } = answer
  if (body === undefined || body === '') return status < 300 ? found([{ section: '1', detail: noBody }]) : []
  const json = parse(body)
  if (json === undefined) return found([{ section: '1', detail: 'The body is not JSON.' }])
  const declared =
    isJson(contentType) || /\+json\s*(?:;|$)/i.test(contentType ?? '')
      ? []
      : [{ section: '1', detail: `The body is JSON, but Content-Type is ${contentType ?? 'missing'}.` }]
  if (status >= 300) return found(declared)
  const shape = operation === 'createPlant' ? created(json.value, request) : listed(json.value, request)
  return found([...declared, ...shape])
}

const noBody = 'There is no body.'

const found = (violations: readonly Found[]): readonly Violation[] =>
  violations.map(({ section, detail }) => ({ section, detail, in: 'answer' }))

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const created = (value: unknown, { body }: Request): readonly Found[] => {
  const wrong = shownPlantViolations(value).map((detail) => ({
    section: '2.1, 4.1',
    detail: `${detail}.`,
  }))
  if (wrong.length > 0) return wrong
  const sent = parse(body ?? '')?.value as Record<string, unknown> | undefined
  return ['name', 'tag'].flatMap((field) => {
    const was = sent?.[field]
    const is = (value as Record<string, unknown>)[field]
    if (was === undefined || was === is) return []
    return [{ section: '4.1', detail: `${field} is not as it was sent.` }]
  })
}

/** One element in fault is enough to see; the others are likely to be alike. */
const listed = (value: unknown, { query }: Request): readonly Found[] => {
  if (!Array.isArray(value)) return [{ section: '4.2', detail: 'The body is not an array.' }]
  const violations: Found[] = []
  for (const [index, element] of value.entries()) {
    const [first] = shownPlantViolations(element)
    if (first === undefined) continue
    violations.push({ section: '2.2, 4.2', detail: `Element ${index}: ${first}.` })
    break
  }
  const limit = new URLSearchParams(query).get('limit')
  if (limit !== null && /^\d+$/.test(limit) && value.length > Number(limit))
    violations.push({
      section: '4.2, 8',
      detail: `There are ${value.length} plants, more than limit=${limit}.`,
    })
  return violations
}
