import { mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CommandLine, Terminal } from '../../cli/command.ts'
import { PlantMockError } from '../../util/errors.ts'
import { findCauses, type Search } from './find-causes.ts'
import { openSession, type VaryReport, type VarySessionOptions, varyReport } from './vary-session.ts'

type SearchOptions = Pick<VarySessionOptions, 'base' | 'planned' | 'signal'> & Pick<Search, 'each' | 'combined'>

/**
 * Runs the test suite of a command line until it is known which of the planned alternatives break which tests.
 * @throws PlantMockError when the suite fails without alternatives, or sends no request to a mock.
 */
export const searchSuite = async (
  line: CommandLine,
  terminal: Terminal,
  { base, planned, signal, ...search }: SearchOptions,
): Promise<VaryReport> => {
  const { values } = line
  const began = performance.now()
  return inFolders(async (folders) => {
    const session = await openSession(line, { base, planned, ...folders, signal, terminal })
    const { first, earlier } = await session.first()
    const findings = await findCauses({
      first,
      earlier,
      ...search,
      run: async (next, further) => (await session.run(next, further))?.observation,
      filesOf: session.filesOf,
      fileOf: session.fileOf,
      jobs: values.jobs ?? 1,
    })
    return varyReport(line, { base, planned }, session, findings, performance.now() - began)
  })
}

/**
 * Runs a suite with a folder for the output of its runs, which remains if something is in it, and one for evidence.
 * @throws PlantMockError when the folders cannot be created.
 */
export const inFolders = async <Result>(
  run: (folders: { readonly output: string; readonly folder: string }) => Promise<Result>,
): Promise<Result> => {
  const output = await createFolder('plant-mock-vary-')
  const folder = await createFolder('plant-mock-evidence-')
  try {
    return await run({ output, folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
    await removeIfEmpty(output)
  }
}

/** Absolute, because the command may run the suite in another folder. */
const createFolder = (prefix: string): Promise<string> =>
  mkdtemp(join(resolve(tmpdir()), prefix)).catch((error: Error) => {
    throw new PlantMockError(`The temporary folder cannot be created: ${error.message}. Set TMPDIR to another folder.`)
  })

/** Removes the folder unless output was kept in it. */
const removeIfEmpty = (folder: string): Promise<void> =>
  rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
