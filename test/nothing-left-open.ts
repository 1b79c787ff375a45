import { afterAll } from 'vitest'
import { watchFile } from './support/left-open.ts'

const leftOpen = watchFile()

afterAll(async () => {
  const left = await leftOpen()
  if (left.length > 0) throw new Error(`This test file leaves open, or leaves behind:\n${left.join('\n')}`)
})
