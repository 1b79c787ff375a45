import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

const create = (): Promise<string> => mkdtemp(join(tmpdir(), 'plant-mock-'))

/** A temporary folder for the tests of a file, which calls this at its top level. */
export const openFolder = async (): Promise<string> => {
  const folder = await create()
  afterAll(() => rm(folder, { recursive: true }))
  return folder
}

/** A temporary folder for one test, which calls this. */
export const openTestFolder = async (): Promise<string> => {
  const folder = await create()
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}
