import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assumptionFileSchema } from '../src/assumptions/file.ts'
import { type Assumption, assumptionRegistry } from '../src/assumptions/registry.ts'
import { fixtureFileSchema } from '../src/contract/json-schema.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')

/** A file that derives from other files, with the content that it must have. */
export type GeneratedFile = { readonly file: string; readonly content: string }

/**
 * Every generated file. `npm run generate` writes them, `test/generated.unit.test.ts` fails while one is stale.
 * A guide contains its generated table between `<!-- name -->` and `<!-- /name -->`.
 */
export const generatedFiles = async (): Promise<readonly GeneratedFile[]> => [
  { file: 'src/contract/contract-text.ts', content: contractModule(read('src/contract/contract.md')) },
  { file: 'fixtures/schema.json', content: json(fixtureFileSchema()) },
  { file: 'fixtures/assumptions.schema.json', content: json(assumptionFileSchema()) },
  inGuide('src/assumptions/README.md', 'registry', registryTable()),
  ...(await tableFrom('src/cli/option-table.ts', 'optionTable', 'src/cli/README.md', 'options')),
  ...(await tableFrom('src/control/route-table.ts', 'routeTable', 'src/control/README.md', 'routes')),
]

/** The text of contract.md as a module: the browser and the bundle need it without a file system. */
const contractModule = (contract: string): string =>
  `// Generated from contract.md by "npm run generate".\nexport const contractText = ${JSON.stringify(contract)}\n`

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Replaces the text between the markers of a guide. */
const inGuide = (file: string, name: string, table: string): GeneratedFile => {
  const [before, , after] = read(file).split(
    new RegExp(`(?<=<!-- ${name} -->\\n)([^]*)(?=<!-- /${name} -->)`),
  )
  if (before === undefined || after === undefined)
    throw new Error(`${file} has no markers <!-- ${name} --> and <!-- /${name} -->.`)
  return { file, content: `${before}${table.trimEnd()}\n${after}` }
}

/** A table that a module of the source renders itself; nothing where that module does not exist. */
const tableFrom = async (
  module: string,
  render: string,
  guide: string,
  name: string,
): Promise<readonly GeneratedFile[]> => {
  if (!existsSync(`${root}${module}`) || !existsSync(`${root}${guide}`)) return []
  const exports = (await import(/* @vite-ignore */ `${root}${module}`)) as Record<string, () => string>
  return [inGuide(guide, name, exports[render]?.() ?? '')]
}

const registryTable = (): string => {
  const code = (value: unknown) => `\`${value}\``
  const row = ({ id, rare, section, question, alternatives, ...assumption }: Assumption) => [
    `${code(id)}${rare ? ' \\*' : ''}`,
    section,
    question,
    code(assumption.default),
    alternatives.map(code).join(', '),
  ]
  return markdownTable(
    ['assumption', 'contract', 'question', 'default', 'alternatives'],
    assumptionRegistry.filter(({ alternatives }) => alternatives.length > 0).map(row),
  )
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('')
}
