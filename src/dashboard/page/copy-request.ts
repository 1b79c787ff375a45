import type { JournalEntry } from '../../journal/entry.ts'
import { shellQuote } from '../../util/shell.ts'

/** The other headers belong to the connection or to the browser. */
const copiedHeaders = ['content-type', 'plant-mock-session']

const headersOf = ({ request }: JournalEntry): [string, string][] => {
  const headers = Object.entries(request.headers).filter(([name]) => copiedHeaders.includes(name))
  return 'authorization' in request.headers ? [['authorization', 'Bearer $TOKEN'], ...headers] : headers
}

/** The request as a curl command; the shell variable TOKEN stands for the token. */
export const asCurl = (entry: JournalEntry, base: string): string => {
  const headers = headersOf(entry).map(([name, value]) =>
    name === 'authorization' ? `-H "Authorization: ${value}"` : `-H ${shellQuote(`${name}: ${value}`)}`,
  )
  return [
    'curl',
    ...(entry.method === 'GET' ? [] : ['-X', entry.method]),
    ...headers,
    ...(entry.request.body === undefined ? [] : ['-d', shellQuote(entry.request.body)]),
    shellQuote(`${base}${entry.url}`),
  ].join(' ')
}

/** The exchange as a Vitest test; the environment variable TOKEN stands for the token. */
export const asTest = (entry: JournalEntry, base: string): string => {
  const headers = headersOf(entry).map(([name, value]) =>
    name === 'authorization'
      ? // biome-ignore lint/suspicious/noTemplateCurlyInString: the generated test contains the template.
        '    authorization: `Bearer ${process.env.TOKEN}`,'
      : `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  return `import { expect, test } from 'vitest'

test(${JSON.stringify(`${entry.method} ${entry.url} answers ${entry.status}`)}, async () => {
  const response = await fetch(${JSON.stringify(`${base}${entry.url}`)}, {
    method: ${JSON.stringify(entry.method)},
    headers: {
${headers.map((line) => `  ${line}`).join('\n')}
    },${entry.request.body === undefined ? '' : `\n    body: ${JSON.stringify(entry.request.body)},`}
  })
  expect(response.status).toBe(${entry.status})
${bodyExpectation(entry)}})
`
}

const bodyExpectation = ({ response: { json, body } }: JournalEntry): string => {
  if (json !== undefined) return `  expect(await response.json()).toEqual(${JSON.stringify(json)})\n`
  return body === undefined ? '' : `  expect(await response.text()).toBe(${JSON.stringify(body)})\n`
}
