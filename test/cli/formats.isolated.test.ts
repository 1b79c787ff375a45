import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openClientFolder } from '../support/client-folder.ts'
import { type ClientFiles, clientSuite } from '../support/client-suite.ts'
import { finish, serve } from '../support/command-line.ts'

const folder = await openClientFolder()

const client: ClientFiles = {
  a: {
    'creates a plant': async ({ create }) => {
      const response = await create(900)
      const { name } = (await response.json()) as { readonly name: unknown }
      if (response.status !== 201 || name !== 'Hoya') throw new Error('not created')
    },
  },
}
const command = ['--', 'run-the-client']
const observed = async (file: string, assumptions: object, broken: readonly string[] = []): Promise<string> => {
  await writeFile(join(folder, file), JSON.stringify({ assumptions, broken }))
  return join(folder, file)
}
const [earlier, later] = [
  await observed('earlier.json', { 'create.status': 201, 'list.order': 'added' }),
  await observed('later.json', { 'create.status': 200, 'list.order': 'newest' }, ['robust.refusal']),
]
const typed = await observed('typed.json', { 'json.contentType': 'charset' })
const { url, close } = await serve([])
afterAll(close)

it.each([
  ['vary', ['vary', '--only', 'create.status', '--only', 'json.keyOrder', ...command], ['create.status=200']],
  ['mutate', ['mutate', '--only', 'create.noName', '--only', 'create.noTag', ...command], ['create.noTag']],
  ['diff', ['diff', earlier, later, ...command], ['robust.refusal', 'create.status']],
  ['diff without a command', ['diff', earlier, later], ['robust.refusal', 'create.status', 'list.order']],
  ['learn', ['learn', earlier], []],
  ['verify', ['verify', url, '--token', 'alice', '--read-only', '--expect', typed], ['json.contentType']],
] as const)('%s has the same failures and the same verdict in each format', async (_, [name, ...args], failures) => {
  const file = join(folder, 'summary.md')
  const outputOf = async (reporter: string): Promise<string> => {
    await writeFile(file, '')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
    const { out } = await finish([name, '--reporter', reporter, ...args], { env, runSuite: clientSuite(client) })
    return out
  }
  const [json, junit, text] = [await outputOf('json'), await outputOf('junit'), await outputOf('text')]
  const summary = await readFile(file, 'utf8')
  const { config, ...data } = JSON.parse(json)
  const verdict: string = config?.verdict ?? data.verdict
  expect(text.replaceAll(/\s+/g, ' ').startsWith(`${verdict} `)).toBe(true)
  expect(/<system-out>(.+?)&#10;[^<]*<\/system-out>\n {2}</.exec(junit)?.[1]).toBe(verdict)
  expect(summary).toContain(`\n\n${verdict}\n`)
  for (const failure of failures) {
    expect(text).toContain(`\n  ${failure}: `)
    expect(json).toContain(`"${failure.split('=')[0]}"`)
  }
  expect([...junit.matchAll(/name="([^"]+)"><failure/g)].map(([, found]) => found)).toEqual(failures)
  const rows = summary.split('\n').flatMap((line) => /^\| ([a-z]\S+?): /.exec(line)?.[1] ?? [])
  expect(rows).toEqual(failures)
})
