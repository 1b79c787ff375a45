import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes code blocks of the guide on environments as files, so that another project can run them.
 * Usage: node write-guide.js FOLDER NAME... A block is named by its first line, a comment.
 */
const guide = readFileSync(new URL('../../../src/guides/environments.md', import.meta.url), 'utf8')
const [, , folder = '.', ...names] = process.argv
for (const name of names) {
  const block = [...guide.matchAll(/^```\w+\n(?:\/\/|#) (\S+)\n([\s\S]*?)^```$/gm)].find(([, title]) => title === name)
  if (block === undefined) throw new Error(`The guide has no code block named ${name}.`)
  writeFileSync(join(folder, name), block[2] ?? '')
}
