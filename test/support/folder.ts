import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

const create = (): Promise<string> => mkdtemp(join(tmpdir(), 'plant-mock-'))

export const openFolder = async (): Promise<string> => {
  const folder = await create()
  afterAll(() => rm(folder, { recursive: true }))
  return folder
}

export const openTestFolder = async (): Promise<string> => {
  const folder = await create()
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}
