import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

const worker = (globalThis as unknown as { __vitest_worker__: { filepath?: string | undefined } }).__vitest_worker__

/** A folder for the runs of clients in a test file. The mocks note the files of the client, instead of this one. */
export const openClientFolder = async (): Promise<string> => {
  const { filepath } = worker
  beforeAll(() => {
    worker.filepath = undefined
  })
  afterAll(() => {
    worker.filepath = filepath
  })
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  afterAll(() => rm(folder, { recursive: true }))
  return folder
}
