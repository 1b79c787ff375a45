import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finish } from './cli.ts'

const suite = `import assert from 'node:assert/strict'
import { test } from 'node:test'

test('creates a plant', async () => {
  const response = await fetch(process.env.PLANT_MOCK_URL + '/plants', {
    method: 'POST',
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    body: JSON.stringify({ id: 900, name: 'Hoya', tag: 'climber' }),
  })
  assert.equal(response.status, 201)
})
`

/** Runs `vary` in a folder with a small suite, and draws what it prints as a terminal, in SVG. */
export const varyPicture = async (folder: string): Promise<string> => {
  await writeFile(join(folder, 'plants.test.mjs'), suite)
  const { code, out } = await finish(['vary', '--', 'node', '--test'], { cwd: folder })
  if (code !== 1) throw new Error(`vary ended with ${code}:\n${out}`)
  const shown = out.trimEnd().replace(/\S*(?=plant-mock-vary-)(plant-mock-vary)-\w+/g, '/tmp/$1')
  return drawTerminal(['$ npx plant-mock vary -- node --test', '', ...shown.split('\n')])
}

const [lineHeight, characterWidth, padding] = [20, 7.85, 16]

const drawTerminal = (lines: readonly string[]): string => {
  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * characterWidth) + 2 * padding
  const height = lines.length * lineHeight + 2 * padding
  const texts = lines.map((line, index) => {
    const style = styleOf(line)
    const y = padding + (index + 0.7) * lineHeight
    return `<text x="${padding}" y="${y}"${style && ` class="${style}"`} xml:space="preserve">${escapeXml(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">What plant-mock vary prints: the tests pass, but 1 guess about the service holds them up</title>
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
  if (/^(?:\$|\d+\.) |^Your tests/.test(line)) return 'strong'
  if (/^ +- /.test(line)) return 'old'
  return /^ +\+ /.test(line) ? 'new' : ''
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
