import { isBearerToken } from '../../core/contract/schemas.ts'
import { discardRest } from '../../core/http/reply.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import type { JournalEntry } from '../../core/journal/entry.ts'
import { toReceivedRequest } from '../../core/mock/fetch.ts'
import type { MockInstance } from '../../core/mock/instance.ts'
import { sessionHeader } from '../../core/mock/sessions.ts'
import { resolveRequest } from '../../core/operations/call.ts'
import { PlantMockError } from '../../util/errors.ts'
import { checkMembers, objectIn } from '../../util/json.ts'

export type SentRequest = {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly caller?: string
}

const hint = 'Send a request such as {"method":"GET","url":"/plants?limit=3","caller":"alice"}.'

export const sentRequestIn = (given: unknown): SentRequest => {
  const members = objectIn(given, hint)
  checkMembers(members, ['method', 'url', 'headers', 'body', 'caller'], hint)
  const { method, url, headers = {}, body, caller } = members
  const isText = (value: unknown): value is string => typeof value === 'string'
  const isOptionalText = (value: unknown): value is string | undefined => value === undefined || isText(value)
  if (!isText(method) || !isText(url) || !url.startsWith('/') || !isOptionalText(body) || !isOptionalText(caller))
    throw new PlantMockError(hint)
  if (caller !== undefined && !isBearerToken(caller))
    throw new PlantMockError('The caller is neither a pseudonym such as caller-1 nor a bearer token.')
  return { ...(members as SentRequest), headers: headersIn(headers) }
}

const headersIn = (given: unknown): Readonly<Record<string, string>> => {
  const headers = objectIn(given, hint)
  if (!Object.values(headers).every((value) => typeof value === 'string')) throw new PlantMockError(hint)
  if (Object.keys(headers).some((name) => name.toLowerCase() === sessionHeader))
    throw new PlantMockError(
      'Remove Plant-Mock-Session from headers, because the control request itself selects the session.',
    )
  return headers as Readonly<Record<string, string>>
}

export const sendRequest = async (
  { method, url, headers = {}, body, caller }: SentRequest,
  instance: MockInstance,
  callers: CallerRegistry,
): Promise<{ readonly id: number }> => {
  const token = caller === undefined ? undefined : (callers.tokenOfPseudonym(caller) ?? caller)
  const request = requestOf(url, {
    method,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body }),
  })
  const received = await toReceivedRequest(request, instance.maxBodySize)
  const { id, reply, failure } = await instance.handle(resolveRequest(received, instance.inForce))
  if (failure !== undefined) throw failure
  discardRest(reply.meta.forwarded)
  return { id }
}

const requestOf = (url: string, init: RequestInit): Request => {
  try {
    return new Request(`http://plant-mock.invalid${url}`, init)
  } catch {
    // Discards the message of the error, which may quote a header with a token.
    throw new PlantMockError(
      'The request cannot be sent: its method or a header is not valid in HTTP, or it is a GET with a body.',
    )
  }
}

const perRequest = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', sessionHeader]

export const repeatedRequest = (entry: JournalEntry): SentRequest => {
  if (entry.request.bodyOmitted)
    throw new PlantMockError('The body of this request was not kept, so it cannot be sent again.')
  return requestOfEntry(entry, (name) => !perRequest.includes(name))
}

export const requestOfEntry = (
  { method, url, caller, request: { headers, body } }: JournalEntry,
  keepsHeader: (name: string) => boolean,
): SentRequest => ({
  method,
  url,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => keepsHeader(name))),
  ...(body !== undefined && { body }),
  ...(caller !== undefined && { caller }),
})
