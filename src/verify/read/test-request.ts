import { curlCommand } from '../../core/http/curl.ts'
import { effectOf, operations } from '../../core/operations/operations.ts'
import { jsonOrUndefined } from '../../util/json.ts'
import { shellQuote } from '../../util/shell.ts'

/** The start of each sample plant's name, or of its tag if the service restricts names. */
export const namePrefix = 'plant-mock check'

/** Who sends a request: one of the two given callers, a caller with a made-up token, or a caller without a token. */
export type CallerRole = 'caller' | 'other' | 'unknown' | 'anonymous'

export type TestRequest = {
  readonly method: string
  /** The path after the base URL, with the query. */
  readonly path: string
  readonly as: CallerRole
  /** The word before the token. Default: `Bearer`. */
  readonly scheme?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The parsed body; `undefined` for text that is not JSON. */
  readonly json?: unknown
}

const { createPlant, listPlants } = operations

/** A list (contract 4.2). @param query For example `?limit=1`. */
export const listRequest = (
  query = '',
  as: CallerRole = 'caller',
  headers: TestRequest['headers'] = {},
): TestRequest => ({ method: listPlants.method, path: `${listPlants.path}${query}`, as, headers })

type Sent = Pick<TestRequest, 'method' | 'path'>

/** A response to HEAD has no body, so HEAD requests are not counted as operations. */
const effectIn = (request: Sent) => (request.method === 'HEAD' ? undefined : effectOf(request))

/** Whether a request is one of the contract's operations, whatever its values. */
export const isOperation = (request: Sent): boolean => effectIn(request) !== undefined
export const isCreate = (request: Sent): boolean => effectIn(request) === 'adds'
export const isList = (request: Sent): boolean => effectIn(request) === 'lists'

/** Requests outside of the contract. PROPFIND is safe (RFC 4918, 9.1); PUT, PATCH or DELETE might change something. */
export const otherMethod = (as: CallerRole): TestRequest => ({ ...listRequest('', as), method: 'PROPFIND' })
/** OPTIONS is safe, and known to every framework (RFC 9110, 9.3.7). */
export const optionsRequest = (as: CallerRole): TestRequest => ({ ...listRequest('', as), method: 'OPTIONS' })
export const otherPath = (as: CallerRole): TestRequest => ({ ...listRequest('', as), path: '/plant-mock-check' })

/** A create (contract 4.1). @param body Text is sent unchanged, anything else as JSON. */
export const createRequest = (
  body: string | object,
  overrides: Pick<Partial<TestRequest>, 'as' | 'headers'> = {},
): TestRequest => ({
  method: createPlant.method,
  path: createPlant.path,
  as: 'caller',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  json: typeof body === 'string' ? jsonOrUndefined(body) : body,
  ...overrides,
})

export const deleteRequest = (id: number | bigint): TestRequest => ({
  method: 'DELETE',
  path: `/plants/${id}`,
  as: 'caller',
  headers: {},
})

/** Stands for the id of a created plant, in random requests that are not sent. */
export const takenId = -1

const shownTokens = { caller: '$TOKEN', other: '$OTHER_TOKEN', unknown: 'made-up' }
const maxCurlBody = 500

const repeated = /(.{1,8}?)\1{19,}/gs

const printCommand = (text: string): string | undefined => {
  const commands: string[] = []
  let end = 0
  const print = (part: string): void => {
    if (part !== '') commands.push(`printf %s ${shellQuote(part)}`)
  }
  for (const { 0: run, 1: unit = '', index } of text.matchAll(repeated)) {
    print(text.slice(end, index))
    // `%.0s` prints nothing, and makes printf repeat its format for each number. The format begins with `%.0s`, because
    // a leading `-n` would be an option.
    const format = `%.0s${unit.replaceAll('\\', '\\\\').replaceAll('%', '%%')}`
    commands.push(`printf ${shellQuote(format)} $(seq ${run.length / unit.length})`)
    end = index + run.length
  }
  print(text.slice(end))
  const command = commands.length === 1 ? commands[0] : `{ ${commands.join('; ')}; }`
  return command === undefined || command.length > maxCurlBody ? undefined : command
}

/**
 * A curl command that repeats a request, with shell variables for tokens. The shell generates the repeated parts of a
 * long body; a long body without such parts is truncated, and the command says so.
 * @param further Names of headers that every request has. Their values may be secrets, so the command shows `…`
 * instead.
 */
export const curlLine = (
  { method, path, as, scheme = 'Bearer', headers, body }: TestRequest,
  baseUrl: string,
  further: readonly string[] = [],
): string => {
  const isLong = body !== undefined && body.length > maxCurlBody
  return curlCommand({
    method,
    url: `${baseUrl}${path}`,
    option: '-i',
    authorization: as === 'anonymous' ? undefined : `${scheme} ${shownTokens[as]}`,
    headers: [
      ...further.filter((name) => !Object.hasOwn(headers, name)).map((name) => [name, '…'] as const),
      ...Object.entries(headers),
    ],
    body: isLong ? `${body.slice(0, maxCurlBody)}… (${body.length} characters)` : body,
    printBody: isLong ? printCommand(body) : undefined,
  })
}
