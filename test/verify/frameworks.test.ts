import { type Assume, bearer, createPlantMock } from 'plant-mock'
import { learn, parseEntries } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { assumptionOf, check, learnedFrom } from '../support/conformance.ts'
import { quirkyService } from '../support/quirky-service.ts'

type Failure = NonNullable<NonNullable<Parameters<typeof quirkyService>[0]>['failure']>

const send = (status: number, type: string, body: string) =>
  new Response(new TextEncoder().encode(body), { status, headers: { 'content-type': type } })
const json = (status: number, body: unknown, type = 'application/json') => send(status, type, JSON.stringify(body))

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
}
const title = (status: number): string => titles[status] ?? ''
let count = 0

const frameworks: Readonly<Record<string, readonly [failure: Failure, forms: Assume]>> = {
  'NestJS: a list of messages for plants alone': [
    (statusCode, message, kind) =>
      json(statusCode, {
        statusCode,
        message: kind === 'meaning' ? [message] : message,
        error: title(statusCode),
      }),
    {
      'error.body': '{"statusCode":"{status}","message":["{detail}"],"error":"{title}"}',
      'error.limitBody': '{"statusCode":"{status}","message":"{detail}","error":"{title}"}',
      'error.duplicateBody': '{"statusCode":"{status}","message":"{detail}","error":"{title}"}',
    },
  ],
  'RFC 9457': [
    (status, detail) =>
      json(
        status,
        { type: 'about:blank', title: title(status), status, detail },
        'application/problem+json;charset=UTF-8',
      ),
    {
      'error.body':
        'application/problem+json; charset=UTF-8 {"type":"about:blank","title":"{title}","status":"{status}","detail":"{detail}"}',
      'error.syntaxBody': 'same',
    },
  ],
  'Rails: a member for each field': [
    (status, _, kind) =>
      json(status, kind === 'meaning' ? { errors: { name: ["can't be blank"] } } : { error: title(status) }),
    { 'error.body': '{"errors":{"{field}":["{detail}"]}}', 'error.limitBody': '{"error":"{title}"}' },
  ],
  'FastAPI: a path of the field': [
    (status, msg, kind) => {
      const loc = kind === 'limit' ? ['query', 'limit'] : ['body', 'name']
      const isInvalid = kind === 'limit' || kind === 'meaning'
      return json(status, { detail: isInvalid ? [{ loc, msg, type: 'string_type' }] : msg })
    },
    {
      'error.body': '{"detail":[{"loc":["body","{field}"],"msg":"{detail}","type":"string_type"}]}',
      'error.limitBody': '{"detail":[{"loc":["query","{field}"],"msg":"{detail}","type":"string_type"}]}',
      'error.pathBody': '{"detail":"{detail}"}',
    },
  ],
  'pages of a proxy, and text without a charset': [
    (status, detail, kind) =>
      kind === 'path' || kind === 'method' || kind === 'auth'
        ? send(status, 'text/html', `<html>\r\n<h1>${status} ${title(status)}</h1><hr>proxy/1.2\r\n</html>\r\n`)
        : send(status, 'text/plain', `Error: ${detail} (${count++})`),
    {
      'error.body': 'text/plain "Error: {detail}"',
      'error.limitBody': 'same',
      'error.authBody':
        String.raw`text/html "<html>\r\n<h1>{status} {title}</h1><hr>proxy/1.2\r\n</html>\r\n"` as 'html',
      'error.pathBody':
        String.raw`text/html "<html>\r\n<h1>{status} {title}</h1><hr>proxy/1.2\r\n</html>\r\n"` as 'html',
    },
  ],
}

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]))
}

const bytes = (text: string) => new TextEncoder().encode(text)
const headers: Record<string, string> = { ...bearer('token-of-alice'), 'content-type': 'application/json' }
const requests: Readonly<Record<string, readonly [path: string, init: RequestInit]>> = {
  'a name that is no text': ['/plants', { method: 'POST', headers, body: bytes('{"name":1,"id":1,"tag":"x"}') }],
  'a limit in words': ['/plants?limit=abc', { headers }],
  'no token': ['/plants', { headers: {} }],
  'half an object': ['/plants', { method: 'POST', headers, body: bytes('{"name"') }],
  'an unknown path': ['/unknown', { headers }],
}

const read = async (response: Response) => {
  const text = await response.text()
  const type = response.headers.get('content-type')?.replaceAll(' ', '')
  return { status: response.status, type, body: type?.includes('json') ? shapeOf(JSON.parse(text)) : typeof text }
}

describe.each(Object.entries(frameworks))('the failures of %s', (_, [failure, forms]) => {
  it('are learned as they are, and imitated with their media types and members', async () => {
    const report = await check(quirkyService({ failure }), { rules: [], skip: ['list.maxLimit', 'list.defaultLimit'] })
    expect(learnedFrom(report)).toMatchObject(forms)
    const file = learn(report.assumptions, new Map(), { host: 'plants.example', date: '2026-11-22' })
    const entries = [...parseEntries(JSON.stringify(file), 'learned.json')]
    const assume: Assume = Object.fromEntries(
      entries.flatMap(([id, entry]) => ('value' in entry ? [[id, entry.value]] : [])),
    )
    const service = quirkyService({ failure })
    const mock = createPlantMock({ assume, tokens: ['token-of-alice'] })
    for (const [name, [path, init]] of Object.entries(requests)) {
      const expected = await read(await service(`http://plants.example${path}`, init as never))
      expect([name, await read(await mock.fetch(path, init))]).toEqual([name, expected])
    }
  })
})

describe('a token that the service repeats in a page', () => {
  it('is not learned', async () => {
    const failure: Failure = (status) => send(status, 'text/html', '<p>Refused: Bearer token-of-alice</p>')
    const report = await check(quirkyService({ failure }), { rules: [] })
    expect(assumptionOf(report, 'error.body')).toMatchObject({ outcome: 'differs' })
    expect(JSON.stringify(report.assumptions)).not.toContain('token-of-alice')
  })
})
