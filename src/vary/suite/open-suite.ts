import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Terminal } from '../../cli/command.ts'
import type { Values } from '../../cli/options.ts'
import { plantSource, startOptions } from '../../cli/start-options.ts'
import { assumeVariable } from '../../core/assumptions/parse.ts'
import type { Assume, Assumptions } from '../../core/assumptions/registry.ts'
import { startServer } from '../../server/start/start.ts'
import { PlantMockError } from '../../util/errors.ts'
import { openFolder } from '../evidence/observer.ts'
import { type ServePlan, servePlanFile } from '../evidence/serve-plan.ts'
import type { PlannedRun } from '../search/find-causes.ts'
import { suiteEnvironment } from './environment.ts'
import type { RunRecord } from './observe.ts'
import { readEvidence } from './read-evidence.ts'
import type { Ignored } from './read-lines.ts'
import { readTestResults, type TestResults } from './read-results.ts'
import { runSuite as runInProcesses, type SuiteResult } from './run-command.ts'
import { writeSelection } from './selection.ts'
import type { TestRun } from './test-run.ts'

/** A run to do, and what its mocks serve instead of their own service. */
export type ServedRun = PlannedRun & { readonly served?: ServePlan }

/** A run with its results and what it left behind. */
export type SuiteRun = ServedRun &
  SuiteResult &
  RunRecord &
  Pick<TestResults, 'programs'> & {
    /** The file with the output of the command. */
    readonly output: string
    /** Lines of evidence that are none of a mock or a runner. */
    readonly ignored: readonly Ignored[]
  }

export type SuiteOptions = {
  readonly command: readonly string[]
  readonly values: Values
  readonly base: Assumptions
  /** The files that the mocks of a run read in its folder of evidence, as JSON. */
  readonly filesOf: (planned: ServedRun) => Readonly<Record<string, unknown>>
  readonly assumeOf: (planned: ServedRun) => Assume
  /** A folder for the output of the runs. */
  readonly output: string
  readonly terminal: Terminal
  /** A folder for evidence. */
  readonly folder: string
  readonly signal: AbortSignal
}

/**
 * Prepares runs of a test suite, each with its own server, so that no state passes from one to the next.
 */
export const openSuite = async (options: SuiteOptions) => {
  const { command, values, base, filesOf, assumeOf, output: outputs, terminal, folder, signal } = options
  const { environment: variables, runSuite = runInProcesses } = terminal
  const fixtures = await (await plantSource(values)).load()
  const serverOptions = await startOptions({ ...values, port: values.port ?? 0 })
  let runs = 0

  /** @param timeout In milliseconds. */
  return async (planned: ServedRun, timeout: number | undefined): Promise<SuiteRun> => {
    const { set, files } = planned
    const output = outputFile(outputs, `run ${++runs} ${set.join(' ') || 'unchanged'}`)
    const runFolder = join(folder, `run-${runs}`)
    await mkdir(runFolder, { recursive: true })
    for (const [name, json] of Object.entries(filesOf(planned)))
      await writeFile(join(runFolder, name), JSON.stringify(json))
    if (planned.served !== undefined) await writeFile(join(runFolder, servePlanFile), JSON.stringify(planned.served))
    if (files !== undefined) writeSelection(runFolder, files)
    const assumptions = { ...base, ...assumeOf(planned) }
    const evidence = openFolder(runFolder)
    const server = await startServer(
      { ...serverOptions, fixtures, assume: assumptions },
      { observer: evidence.observer, fixed: [] },
    )
    try {
      // Mocks inside the test suite read the variable. It has defaults too, which take precedence over files and seeds.
      const assumed = { [assumeVariable]: JSON.stringify(assumptions), PLANT_MOCK_URL: server.url }
      const environment = suiteEnvironment({ ...variables, ...assumed }, runFolder)
      const began = Date.now()
      const result = await runSuite({ command, environment, output, timeout, signal })
      const recorded = await readTestResults(runFolder)
      const tests =
        values.results === undefined ? recorded.tests : await readJunit(values.results, began, result.passed)
      const { ignored, ...found } = await readEvidence(runFolder)
      if (result.passed) await rm(output)
      return {
        ...planned,
        ...result,
        output,
        evidence: found,
        tests,
        areTimed: values.results === undefined,
        programs: recorded.programs,
        ignored: [ignored, recorded.ignored].filter((one) => one !== undefined),
      }
    } finally {
      await server.close()
      evidence.close()
      await rm(runFolder, { recursive: true, force: true })
    }
  }
}

/** A file with the name of a run; a long one is cut, because file systems limit names to 255 bytes. */
const outputFile = (folder: string, name: string): string => {
  const safe = name.replaceAll(/[^\w.=-]+/g, '_')
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return join(folder, `${safe.length <= 80 ? safe : `${safe.slice(0, 60)}_${hash}`}.log`)
}

/** The tests of a JUnit report; `undefined` when a command that failed wrote none. */
const readJunit = async (file: string, began: number, passed: boolean): Promise<readonly TestRun[] | undefined> => {
  const written = await stat(file).then(
    ({ mtimeMs }) => mtimeMs >= began - clockTolerance,
    () => false,
  )
  if (written) {
    const bytes = await readFile(file).catch((error: Error) => {
      throw new PlantMockError(`Failed to read ${file}, the file of --results: ${error.message}.`)
    })
    // perf: loads the parser of XML with --results only.
    const { parseJunit } = await import('./junit-results.ts')
    return parseJunit(new TextDecoder(encodingOf(bytes)).decode(bytes), file).map((test) => ({
      ...test,
      start: 0,
      end: 0,
    }))
  }
  if (!passed) return undefined
  throw new PlantMockError(
    `The command did not write ${file}, the file of --results. Let it write a JUnit report there, such as pytest --junitxml=${file}`,
  )
}

/** By the byte order mark, as XML 1.0 has it (appendix F). */
const encodingOf = ([first = 0, second = 0]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** File systems may keep times in whole seconds. In milliseconds. */
const clockTolerance = 1_000
