import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

const worker = (globalThis as unknown as { __vitest_worker__: { filepath?: string | undefined } }).__vitest_worker__

/**
 * A folder for the runs of clients in a test file, where the output of failed runs is kept too. The mocks note the files
 * of the client, instead of this one.
 */
export const openClientFolder = async (): Promise<string> => {
  const { filepath } = worker
  const { TMPDIR } = process.env
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  beforeAll(() => {
    worker.filepath = undefined
    process.env.TMPDIR = folder
  })
  afterAll(() => {
    worker.filepath = filepath
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  afterAll(() => rm(folder, { recursive: true }))
  return folder
}
