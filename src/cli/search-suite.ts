import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PlantMockError } from '../util/errors.ts'
import { findCauses, type Search } from '../vary/search/find-causes.ts'
import type { CommandLine, Terminal } from './command.ts'
import { openSession, type VaryReport, type VarySessionOptions, varyReport } from './vary-session.ts'

type SearchOptions = Pick<VarySessionOptions, 'base' | 'planned' | 'signal'> &
  Pick<Search, 'each' | 'repeat' | 'combined' | 'always'>

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
  return inFolders(values.output, async (folders) => {
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
 * @param given The folder of `--output`.
 */
export const inFolders = async <Result>(
  given: string | undefined,
  run: (folders: { readonly output: string; readonly folder: string }) => Promise<Result>,
): Promise<Result> => {
  const output = await createOutputFolder(given)
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-evidence-'))
  try {
    return await run({ output, folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
    if (given === undefined) await removeIfEmpty(output)
  }
}

/**
 * Creates the folder for the output of failed runs.
 * @param given The folder of `--output`; a temporary one if undefined.
 * @throws PlantMockError when the folder cannot be created.
 */
const createOutputFolder = async (given: string | undefined): Promise<string> => {
  const refuse = (name: string, advice: string) => (error: Error) => {
    throw new PlantMockError(`The ${name} cannot be created: ${error.message}.${advice}`)
  }
  if (given !== undefined) {
    await mkdir(given, { recursive: true }).catch(refuse(`folder ${given}`, ''))
    return given
  }
  const prefix = join(tmpdir(), 'plant-mock-vary-')
  return mkdtemp(prefix).catch(refuse('temporary folder', ' Choose another with --output FOLDER.'))
}

/** Removes the folder unless output was kept in it. */
const removeIfEmpty = (folder: string): Promise<void> =>
  rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
