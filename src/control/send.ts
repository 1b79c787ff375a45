import { toExchange } from '../http/fetch.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { MockInstance } from '../mock/instance.ts'
import { resolveCall } from '../service/call.ts'
import { PlantMockError } from '../util/errors.ts'
import { isPromise } from '../util/maybe-promise.ts'
import { messageOf } from '../util/words.ts'
import { objectIn } from './request-body.ts'

/** A request to the service, from a page that must not know tokens. */
export type SentRequest = {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The pseudonym of a caller, or a token. Default: no credentials but those in `headers`. */
  readonly caller?: string
}

const hint = 'Send a request such as {"method":"GET","url":"/plants?limit=3","caller":"alice"}.'

export const sentRequestIn = (given: unknown): SentRequest => {
  const { method, url, headers = {}, body, caller } = objectIn(given, hint)
  const isText = (value: unknown): value is string => typeof value === 'string'
  const isOptionalText = (value: unknown): value is string | undefined => value === undefined || isText(value)
  if (!isText(method) || !isText(url) || !url.startsWith('/') || !isOptionalText(body) || !isOptionalText(caller))
    throw new PlantMockError(hint)
  return {
    method,
    url,
    headers: objectIn(headers, hint) as Readonly<Record<string, string>>,
    ...(body !== undefined && { body }),
    ...(caller !== undefined && { caller }),
  }
}

/**
 * Lets the mock handle a request as if a client had sent it, faults, upstream and journal included; handlers of a server
 * do not see it.
 * @returns The id of its journal entry.
 * @throws PlantMockError for a request that HTTP does not allow.
 */
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
  const reply = instance.handle(resolveCall(await toExchange(request, instance.maxBodySize, undefined)))
  if (isPromise(reply)) await reply
  return { id: instance.exchanges }
}

const requestOf = (url: string, init: RequestInit): Request => {
  try {
    return new Request(`http://plant-mock.invalid${url}`, init)
  } catch (error) {
    throw new PlantMockError(`The request cannot be sent: ${messageOf(error)}.`)
  }
}

/** These belong to the connection. */
const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade']

/**
 * The request of a journal entry. Where it had a secret, it has what the journal shows instead.
 * @throws PlantMockError when its body was not kept.
 */
export const repeatedRequest = ({ method, url, caller, request }: JournalEntry): SentRequest => {
  const { headers, body, bodyOmitted } = request
  if (bodyOmitted) throw new PlantMockError('The body of this request was not kept, so it cannot be sent again.')
  return {
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))),
    ...(body !== undefined && { body }),
    ...(caller !== undefined && { caller }),
  }
}
