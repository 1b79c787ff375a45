import { afterAll, beforeAll } from 'vitest'
import { openFolder } from './folder.ts'

const worker = (globalThis as unknown as { __vitest_worker__: { filepath?: string | undefined } }).__vitest_worker__

/** Hides the current test file from Vitest's worker, which makes mocks record the client's files instead. */
export const openClientFolder = async (): Promise<string> => {
  const { filepath } = worker
  const { TMPDIR } = process.env
  const folder = await openFolder()
  beforeAll(() => {
    worker.filepath = undefined
    process.env.TMPDIR = folder
  })
  afterAll(() => {
    worker.filepath = filepath
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  return folder
}
