import type { JournalEntry } from '../../journal/entry.ts'

/** Headers that belong to the request itself, and not to the connection or the browser. */
const kept = ['content-type', 'plant-mock-session']

const headersOf = ({ request }: JournalEntry): [string, string][] => {
  const headers = Object.entries(request.headers).filter(([name]) => kept.includes(name))
  return 'authorization' in request.headers ? [['authorization', 'Bearer $TOKEN'], ...headers] : headers
}

/** In single quotes a shell changes nothing; a single quote itself has to step out of them. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The request for a terminal; the token is `$TOKEN` there. */
export const asCurl = (entry: JournalEntry, base: string): string => {
  const headers = headersOf(entry).map(([name, value]) =>
    name === 'authorization' ? `-H "Authorization: ${value}"` : `-H ${quoted(`${name}: ${value}`)}`,
  )
  return [
    'curl',
    ...(entry.method === 'GET' ? [] : ['-X', entry.method]),
    ...headers,
    ...(entry.request.body === undefined ? [] : ['-d', quoted(entry.request.body)]),
    quoted(`${base}${entry.url}`),
  ].join(' ')
}

/** The exchange as a test; the token is `TOKEN` in the environment. */
export const asTest = (entry: JournalEntry, base: string): string => {
  const headers = headersOf(entry).map(([name, value]) =>
    name === 'authorization'
      ? // biome-ignore lint/suspicious/noTemplateCurlyInString: the test that is written has the template.
        '    authorization: `Bearer ${process.env.TOKEN}`,'
      : `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  const { json, body } = entry.response
  return `import { expect, test } from 'vitest'

test(${JSON.stringify(`${entry.method} ${entry.url} answers ${entry.status}`)}, async () => {
  const response = await fetch(${JSON.stringify(`${base}${entry.url}`)}, {
    method: ${JSON.stringify(entry.method)},
    headers: {
${headers.map((line) => `  ${line}`).join('\n')}
    },${entry.request.body === undefined ? '' : `\n    body: ${JSON.stringify(entry.request.body)},`}
  })
  expect(response.status).toBe(${entry.status})
${json !== undefined ? `  expect(await response.json()).toEqual(${JSON.stringify(json)})\n` : body === undefined ? '' : `  expect(await response.text()).toBe(${JSON.stringify(body)})\n`}})
`
}
