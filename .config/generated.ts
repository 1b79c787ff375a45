import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assumptionFileSchema } from '../src/core/assumptions/file.ts'
import { type Assumption, assumptionRegistry } from '../src/core/assumptions/registry.ts'
import { template } from '../src/core/assumptions/template.ts'
import { fixtureFileSchema } from '../src/core/contract/schemas.ts'
import { routes } from '../src/server/control/handle.ts'
import { exitCodeList, optionList } from './command-line-lists.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')

/** A file that derives from other files, with the content that it must have. */
export type GeneratedFile = { readonly file: string; readonly content: string }

/** The text of contract.md as a module: the browser and the bundle need it without a file system. */
const contractModule = (contract: string): string =>
  `// Generated from contract.md by "npm run generate".\nexport const contractText = ${JSON.stringify(contract)}\n`

/** Fixture files as a module. Their JSON is text: bundlers refuse JSON with half of a surrogate pair. */
const fixturesModule = (...names: readonly string[]): string => {
  const texts = names.map((name) => {
    const { plants } = JSON.parse(read(`fixtures/${name}.json`)) as { readonly plants: unknown }
    return `  '${name}': ${JSON.stringify(JSON.stringify(plants))},\n`
  })
  return `// Generated from fixtures/ by "npm run generate".\nexport const texts = {\n${texts.join('')}}\n`
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * Renders JSON with a line for each member of the outer objects, and with what is in these on one line: the schema of the
 * assumptions then takes 30 kB of the package instead of 76.
 * @param depth How many levels have a line for each member.
 */
const compactJson = (value: unknown, depth: number, indentation = ''): string => {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const inner = `${indentation}  `
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${compactJson(member, depth - 1, inner)}`,
  )
  return `{\n${members.join(',\n')}\n${indentation}}`
}

const guide = (name: string): string => `src/guides/${name}.md`

/** The guides as generated so far: one may have several lists. */
const guides = new Map<string, string>()

/** Replaces the text between the markers of a guide by a list. */
const inGuide = (file: string, name: string, list: string): GeneratedFile => {
  const [before, , after] = (guides.get(file) ?? read(file)).split(
    new RegExp(`(?<=<!-- ${name} -->\\n)([^]*)(?=<!-- /${name} -->)`),
  )
  if (before === undefined || after === undefined)
    throw new Error(`${file} has no markers <!-- ${name} --> and <!-- /${name} -->.`)
  const content = `${before}${list}${after}`
  guides.set(file, content)
  return { file, content }
}

const code = (value: unknown): string => `\`${value}\``

/** How values with a parameter are written. The guide describes the form of failures in a section of its own. */
const formsOf = ({ form }: Assumption): readonly string[] =>
  form === undefined ? [] : form === template.shown ? ['FORM'] : form.split(' or ')

const registryList = (): string => {
  const lines = assumptionRegistry
    .filter(({ alternatives, further }) => alternatives.length + further.length > 0)
    .map((row: Assumption) => {
      const values = [
        [row.default, ...row.alternatives],
        [...row.further, ...formsOf(row)],
      ]
        .filter((part) => part.length > 0)
        .map((part) => part.map(code).join(', '))
        .join('; ')
      return `- ${code(row.id)}${row.rare ? ' \\*' : ''} (${row.section}): ${row.question} ${values}\n`
    })
  const others = assumptionRegistry.filter(({ alternatives, further }) => alternatives.length + further.length === 0)
  const rest = others.map(({ id, default: value }) => code(`${id}=${value}`)).join(', ')
  return `\n${lines.join('')}\n${rest === '' ? '' : `These have no alternatives: ${rest}.\n\n`}`
}

/** The routes of the control interface. */
const routeList = (): string =>
  `\n${routes.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}\n`).join('')}\n`

/** The shares of the benchmark, in whole percent. */
const performanceTable = (): string => {
  const results = read('test/bench/RESULTS.md')
  const rows = ['plant-mock', 'json-server 1 beta', 'Prism 5', 'Mockoon CLI 9'].map((server) => {
    const [, get, post] = results.match(new RegExp(`^- ${server}: GET ([\\d.]+) .*, POST ([\\d.]+) `, 'm')) ?? []
    if (get === undefined || post === undefined) throw new Error(`test/bench/RESULTS.md has no row ${server}.`)
    return [server, ...[get, post].map((share) => `${Math.round(Number(share) * 100)} %`)]
  })
  return table([['server', 'list', 'create'], ...rows, ['bare node:http', '100 %', '100 %']])
}

/** A table of Markdown with aligned columns, as the formatter wants it. */
const table = ([head = [], ...rows]: readonly (readonly string[])[]): string => {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)))
  const lines = [head, widths.map((width) => '-'.repeat(width)), ...rows]
  const cells = (line: readonly string[]) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')
  return `\n${lines.map((line) => `| ${cells(line)} |\n`).join('')}\n`
}

/**
 * Every generated file. `npm run generate` writes them, `test/generated.unit.test.ts` fails while one is stale.
 * A guide contains its generated list between `<!-- name -->` and `<!-- /name -->`.
 */
export const generatedFiles: readonly GeneratedFile[] = [
  { file: 'src/core/contract/contract-text.ts', content: contractModule(read('src/core/contract/contract.md')) },
  { file: 'src/core/fixtures/shipped-text.ts', content: fixturesModule('crowded', 'edge-cases') },
  { file: 'fixtures/schema.json', content: json(fixtureFileSchema()) },
  { file: 'fixtures/assumptions.schema.json', content: `${compactJson(assumptionFileSchema(), 4)}\n` },
  inGuide('README.md', 'performance', performanceTable()),
  inGuide(guide('assumptions'), 'registry', registryList()),
  inGuide(guide('command-line'), 'options', optionList()),
  inGuide(guide('command-line'), 'exit-codes', exitCodeList()),
  inGuide(guide('control'), 'routes', routeList()),
]
