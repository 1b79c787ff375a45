import { curlCommand } from '../../core/http/curl.ts'
import { effectOf, operations } from '../../core/operations/operations.ts'
import { jsonOrUndefined } from '../../util/json.ts'
import { shellQuote } from '../../util/shell.ts'

export const namePrefix = 'plant-mock check'

/** `unknown` sends a made-up token, `anonymous` sends no token. */
export type CallerRole = 'caller' | 'other' | 'unknown' | 'anonymous'

export type TestRequest = {
  readonly method: string
  readonly path: string
  readonly as: CallerRole
  readonly scheme?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly json?: unknown
}

const { createPlant, listPlants } = operations

export const listRequest = (
  query = '',
  as: CallerRole = 'caller',
  headers: TestRequest['headers'] = {},
): TestRequest => ({ method: listPlants.method, path: `${listPlants.path}${query}`, as, headers })

type Sent = Pick<TestRequest, 'method' | 'path'>

const effectIn = (request: Sent) => (request.method === 'HEAD' ? undefined : effectOf(request))

export const isOperation = (request: Sent): boolean => effectIn(request) !== undefined
export const isCreate = (request: Sent): boolean => effectIn(request) === 'adds'
export const isList = (request: Sent): boolean => effectIn(request) === 'lists'

/** PROPFIND is safe (RFC 4918, 9.1), unlike PUT, PATCH or DELETE, which could change data. */
export const otherMethod = (as: CallerRole): TestRequest => ({ ...listRequest('', as), method: 'PROPFIND' })
export const optionsRequest = (as: CallerRole): TestRequest => ({ ...listRequest('', as), method: 'OPTIONS' })
export const otherPath = (as: CallerRole): TestRequest => ({ ...listRequest('', as), path: '/plant-mock-check' })

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
    // The shell's `printf` repeats its format for each argument, and `%.0s` prints nothing of the argument.
    const format = `%.0s${unit.replaceAll('\\', '\\\\').replaceAll('%', '%%')}`
    commands.push(`printf ${shellQuote(format)} $(seq ${run.length / unit.length})`)
    end = index + run.length
  }
  print(text.slice(end))
  const command = commands.length === 1 ? commands[0] : `{ ${commands.join('; ')}; }`
  return command === undefined || command.length > maxCurlBody ? undefined : command
}

/** @param further Names of headers whose values may be secrets. The command shows `…` instead of each value. */
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
