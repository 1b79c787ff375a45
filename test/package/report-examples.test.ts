import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { root, stopAll } from './support/cli.ts'
import { pictureOf, reportExamples, withExamples } from './support/report-examples.ts'

const folder = await openFolder()
let examples: Awaited<ReturnType<typeof reportExamples>>
beforeAll(async () => {
  examples = await reportExamples(folder)
}, 120_000)
afterAll(stopAll)

it.each(['vary', 'mutate'] as const)('%s.svg shows what the command prints; -u draws it again', async (command) => {
  await expect(pictureOf(command, examples)).toMatchFileSnapshot(`${root}src/guides/${command}.svg`)
})

it.each(['vary', 'verify', 'coming-from'])('%s.md shows what the commands print; -u writes it again', async (name) => {
  const file = `${root}src/guides/${name}.md`
  await expect(withExamples(readFileSync(file, 'utf8'), examples)).toMatchFileSnapshot(file)
})

it('a guide shows each example', () => {
  const guides = ['vary', 'verify', 'coming-from'].map((name) => readFileSync(`${root}src/guides/${name}.md`, 'utf8'))
  for (const name of Object.keys(examples))
    expect(guides.join()).toContain(name === 'mutate' ? '](mutate.svg)' : `<!-- ${name} -->`)
})
