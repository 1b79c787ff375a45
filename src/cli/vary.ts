import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AssumptionId, Assumptions } from '../core/assumptions/registry.ts'
import { type VariationOptions, variations } from '../core/assumptions/variations.ts'
import { PlantMockError } from '../util/errors.ts'
import { findCauses } from '../vary/search/find-causes.ts'
import { keyOf } from '../vary/search/observe.ts'
import type { Alternative } from '../vary/shadows/evidence.ts'
import { assumptionsOf } from './assumption-settings.ts'
import type { CommandLine, RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import type { Values } from './options.ts'
import { renderReport } from './vary-report.ts'
import { openSession, type Planned } from './vary-session.ts'

/** `plant-mock vary -- COMMAND`: runs a test suite without changes, then under the alternatives that it would notice. */
export const vary: RunCliCommand = async (line, terminal) => {
  const { values } = line
  checkUse(line)
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const planned = planAlternatives(values, base)
  const stop = new AbortController()
  const { signal } = stop
  terminal.onStop(() => stop.abort())
  const began = performance.now()
  const output = await createOutputFolder(values.output)
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-evidence-'))
  try {
    const session = await openSession(line, { base, planned, output, folder, signal, terminal })
    const baseline = await session.first()
    const findings = await findCauses({
      ...baseline,
      run: session.run,
      filesOf: session.filesOf,
      fileOf: session.fileOf,
      jobs: values.jobs ?? 1,
      each: values.each ?? false,
      repeat: values.repeat ?? 1,
      ...(values.only && { combined: [...planned.keys()] }),
      ...(values.all && { always: [...planned.keys()] }),
    })
    const report = session.report(findings, performance.now() - began)
    terminal.out(renderReport(report, values.reporter ?? 'text', terminal.colour))
    if (signal.aborted) return exitCodes.interrupted
    if (report.broken.length > 0) return exitCodes.failure
    return report.ineffective.length > 0 ? exitCodes.usage : exitCodes.success
  } finally {
    await rm(folder, { recursive: true, force: true })
    if (values.output === undefined) await removeIfEmpty(output)
  }
}

const checkUse = ({ values, rest }: CommandLine): void => {
  if (rest.length === 0)
    throw new PlantMockError('The test command is missing. Put it after --: plant-mock vary -- npm test')
  const { port = 0, jobs = 1, results } = values
  const exclusive = port !== 0 ? '--port' : results !== undefined ? '--results' : undefined
  if (exclusive !== undefined && jobs > 1)
    throw new PlantMockError(
      `${exclusive} and --jobs exclude each other: runs at the same time need ${port !== 0 ? 'a server' : 'a file'} each. Remove one of them.`,
    )
}

const planAlternatives = ({ thorough = false, only }: Values, base: Assumptions): Planned => {
  const selected = only === undefined ? {} : { only: only as NonNullable<VariationOptions['only']> }
  const planned = variations({ thorough, base, ...selected }).flatMap(({ assume }) =>
    Object.entries(assume).map(([id, value]): Alternative => ({ id: id as AssumptionId, value })),
  )
  if (planned.length > 0) return new Map(planned.map((alternative) => [keyOf(alternative), alternative]))
  throw new PlantMockError('Nothing to vary: --only names no alternative to the current assumptions.')
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
