import type { Effect } from '../../../core/assumptions/operation-ids.ts'
import { curlCommand } from '../../../core/http/curl.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'
import { operations } from '../../../core/operations/operations.ts'
import { isJsonObject, jsonOrUndefined } from '../../../util/json.ts'

const copiedHeaders = ['content-type', 'content-encoding', 'prefer', 'plant-mock-session']

export const asCurl = ({ method, url, request: { headers, body } }: JournalEntry, base: string): string =>
  curlCommand({
    method,
    url: `${base}${url}`,
    // The command reads the token from a variable, because the journal contains only a pseudonym.
    authorization: headers.authorization?.replace(/\S+$/, () => '$TOKEN'),
    headers: Object.entries(headers).filter(([name]) => copiedHeaders.includes(name)),
    body,
  })

/** The test expects only what the contract states: no order, and no particular plants. */
export const asTest = (entry: JournalEntry): string => {
  const { method, url, fault, operation } = entry
  return `import { bearer, createPlantMock } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { expect, test } from 'vitest'

test(${JSON.stringify(`${method} ${url}`)}, async () => {
  const mock = createPlantMock({ fixtures: garden })
${fault === 'status' ? `  await mock.fail(${JSON.stringify({ operation, status: entry.status })})\n` : ''}  const response = await mock.fetch(${JSON.stringify(url.replace(/^\/\//, '/.//'))}, {
${requestLines(entry)
  .map((line) => `    ${line},\n`)
  .join('')}  })
${expectations(entry)
  .map((line) => `  ${line}\n`)
  .join('')}})
`
}

const requestLines = ({ method, caller, request: { headers, body } }: JournalEntry): readonly string[] => {
  const copied = [
    ...(caller === undefined ? [] : [`...bearer(${JSON.stringify(caller)})`]),
    ...copiedHeaders
      .filter((name) => name in headers && name !== 'plant-mock-session')
      .map((name) => `${/\W/.test(name) ? `'${name}'` : name}: ${JSON.stringify(headers[name])}`),
  ]
  // `fetch` throws a TypeError for a GET or HEAD request with a body.
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  return [
    ...(method === 'GET' ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(copied.length === 0 ? [] : [`headers: { ${copied.join(', ')} }`]),
    ...(hasBody ? [`body: ${JSON.stringify(body)}`] : []),
  ]
}

const expectations = (entry: JournalEntry): readonly string[] => {
  const { status, operation, method, fault } = entry
  if (fault === 'status') return [`expect(response.status).toBe(${status})`]
  if (status >= 300) return ['// The contract does not show failures (7).', 'expect(response.ok).toBe(false)']
  const success = 'expect(response.ok).toBe(true)'
  if (operation === undefined || method === 'HEAD') return [success]
  return [success, ...expectedBody[operations[operation].effect](entry)]
}

const expectedPlant = ({ request: { body = '' } }: JournalEntry): readonly string[] => {
  const sent = jsonOrUndefined(body)
  const { name, tag } = isJsonObject(sent) ? sent : {}
  return [
    '// The created plant has a name and a tag, and no id (contract 2.1).',
    `expect(await response.json()).toEqual({ name: ${expectedText(name)}, tag: ${expectedText(tag)} })`,
  ]
}

const expectedText = (sent: unknown): string => (typeof sent === 'string' ? JSON.stringify(sent) : 'expect.any(String)')

const expectedList = ({ url }: JournalEntry): readonly string[] => {
  const limit = new URL(url, 'http://plant-mock.invalid').searchParams.get('limit') ?? ''
  return [
    'const plants = await response.json()',
    ...(/^\d+$/.test(limit)
      ? [
          '// A list never holds more plants than limit (contract 4.2).',
          `expect(plants.length).toBeLessThanOrEqual(${limit})`,
        ]
      : []),
    '// Each has a name and a tag, and no id (contract 2.2).',
    'for (const plant of plants) expect(plant).toEqual({ name: expect.any(String), tag: expect.any(String) })',
  ]
}

const expectedBody: Readonly<Record<Effect, (entry: JournalEntry) => readonly string[]>> = {
  adds: expectedPlant,
  lists: expectedList,
  removes: () => [],
}
