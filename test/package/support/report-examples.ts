import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finish, serve } from './cli.ts'

const suite = `import assert from 'node:assert/strict'
import { test } from 'node:test'

test('creates a plant', async () => {
  const response = await fetch(process.env.PLANT_MOCK_URL + '/plants', {
    method: 'POST',
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    body: JSON.stringify({ id: 900, name: 'Hoya', tag: 'climber' }),
  })
  assert.equal(response.status, 201)
  assert.ok(await response.json())
})
`

const openApi = `openapi: 3.1.0
info: { title: Plants, version: '1' }
paths:
  /plants:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, default: 20, maximum: 100 } }
      responses:
        '200': { description: Plants }
    post:
      responses:
        '200': { description: Created }
`

type Examples = Readonly<Record<'vary' | 'mutate' | 'verify' | 'expect' | 'diff' | 'learn', string>>

export const reportExamples = async (folder: string): Promise<Examples> => {
  await writeFile(join(folder, 'plants.test.mjs'), suite)
  await writeFile(join(folder, 'openapi.yaml'), openApi)
  await writeFile(join(folder, 'learned.json'), '{"assumptions":{"create.status":201}}')
  const { url } = await serve(['--assume', 'create.status=200'])
  const tokens = ['--token', 'alice', '--other-token', 'bob']
  const printed = async (code: number, ...args: readonly string[]): Promise<string> => {
    const finished = await finish(args, { cwd: folder })
    if (finished.code !== code) throw new Error(`${args[0]} ended with ${finished.code}:\n${finished.out}`)
    return finished.out
      .trimEnd()
      .replaceAll(url, 'http://127.0.0.1:4010')
      .replace(/\S*plant-mock-vary-\w+/g, '/tmp/plant-mock-vary-x7Kq2')
  }
  return {
    vary: await printed(1, 'vary', '--', 'node', '--test'),
    mutate: withoutNext(excerpt(await printed(1, 'mutate', '--', 'node', '--test'), 'Survived')),
    verify: excerpt(await printed(0, 'verify', url, ...tokens), 'Not as assumed', 'Not checked'),
    expect: withoutNext(
      excerpt(await printed(4, 'verify', url, ...tokens, '--expect', 'learned.json'), 'Changed').replace(
        /\nRules: .*\n.*/,
        '\n…',
      ),
    ),
    diff: withoutNext(await printed(4, 'diff', 'learned.json', 'openapi.yaml', '--', 'node', '--test')),
    learn: excerpt(await printed(0, 'learn', 'openapi.yaml'), 'Set'),
  }
}

const excerpt = (text: string, ...titles: readonly string[]): string => {
  const [verdict = '', ...paragraphs] = text.split('\n\n')
  const next = paragraphs.pop() ?? ''
  const kept = paragraphs.filter((paragraph) => titles.some((title) => paragraph.startsWith(`${title}\n`)))
  const cut = kept.map((paragraph) => paragraph.split(/\n(?= {2}create\.noTag: )/)[0] ?? '')
  return `${[verdict, ...cut].join('\n\n')}\n…\n\n${next}`
}

const withoutNext = (text: string): string => text.split('\n\n').slice(0, -1).join('\n\n')

export const withExamples = (guide: string, examples: Examples): string =>
  guide.replaceAll(
    /(<!-- (\w+) -->\n\n```text\n)[\s\S]*?(\n```\n)/g,
    (block, before: string, name: string, after: string) =>
      name in examples ? `${before}${examples[name as keyof Examples]}${after}` : block,
  )

const titles = {
  vary: 'What plant-mock vary prints: the tests pass, but rely on 1 guess about the service',
  mutate: 'What plant-mock mutate prints: 3 mutants survive, because no test notices them',
}

export const pictureOf = (command: keyof typeof titles, examples: Examples): string =>
  drawTerminal(titles[command], [`$ npx plant-mock ${command} -- node --test`, '', ...examples[command].split('\n')])

const [lineHeight, characterWidth, padding] = [20, 7.85, 16]

const drawTerminal = (title: string, lines: readonly string[]): string => {
  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * characterWidth) + 2 * padding
  const height = lines.length * lineHeight + 2 * padding
  const texts = lines.map((line, index) => {
    const style = styleOf(line)
    const y = padding + (index + 0.7) * lineHeight
    return `<text x="${padding}" y="${y}"${style && ` class="${style}"`} xml:space="preserve">${escapeXml(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
text { font: 13px ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace; fill: #1f2328; white-space: pre }
rect { fill: #f6f8fa; stroke: #d1d9e0 }
.strong { font-weight: 600 }
.old { fill: #a40e26 }
.new { fill: #116329 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  rect { fill: #0d1117; stroke: #3d444d }
  .old { fill: #ff7b72 }
  .new { fill: #7ee787 }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join('\n')}
</svg>
`
}

const styleOf = (line: string): string => {
  if (/^(?:\$ |Your tests|Relied on|Score|Survived)/.test(line)) return 'strong'
  if (/^ +- /.test(line)) return 'old'
  return /^ +\+ /.test(line) ? 'new' : ''
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
