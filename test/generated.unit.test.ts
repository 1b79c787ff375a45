import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { generatedFiles } from '../.config/generated.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

it.each(generatedFiles)('$file is what "npm run generate" writes', ({ file, content }) => {
  expect(readFileSync(`${root}${file}`, 'utf8')).toBe(content)
})
