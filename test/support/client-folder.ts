import { afterAll, beforeAll } from 'vitest'
import { openFolder } from './folder.ts'

const worker = (globalThis as unknown as { __vitest_worker__: { filepath?: string | undefined } }).__vitest_worker__

/**
 * A folder for the runs of clients in a test file, where the output of failed runs is kept too. The mocks note the files
 * of the client, instead of this one.
 */
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
