import { mkdir, mkdtemp, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { assumeVariable } from '../../core/assumptions/parse.ts'
import { startServer } from '../../server/start/start.ts'
import { PlantMockError } from '../../util/errors.ts'
import { withoutProxyTo } from '../../util/proxy.ts'
import { plural } from '../../util/words.ts'
import { openEvidence } from '../evidence/evidence-log.ts'
import { evidenceObserver } from '../evidence/evidence-observer.ts'
import { assumeOf, type Change, keyOf, type Plan, planFile } from '../evidence/plan.ts'
import { suiteEnvironment } from './environment.ts'
import { differencesByTest, isUnexplained, type PlannedRun, repetitionsIn, type SuiteRun } from './observe.ts'
import { readEvidence } from './read-evidence.ts'
import { readTestResults } from './read-results.ts'
import { readReports, removeReports } from './report-files.ts'
import { runSuite as runInProcesses } from './run-suite.ts'
import type { SuiteRequest } from './suite-request.ts'

export type SuiteFolders = {
  readonly output: string
  readonly evidence: string
}

export const inFolders = async <Result>(run: (folders: SuiteFolders) => Promise<Result>): Promise<Result> => {
  const output = await createFolder('plant-mock-vary-')
  const evidence = await createFolder('plant-mock-evidence-')
  try {
    return await run({ output, evidence })
  } finally {
    await rm(evidence, { recursive: true, force: true })
    // Keeps the output of failed runs for the user, because `rmdir` fails if the folder is not empty.
    await rmdir(output).catch(() => undefined)
  }
}

const createFolder = (prefix: string): Promise<string> =>
  mkdtemp(join(resolve(tmpdir()), prefix)).catch((error: Error) => {
    throw new PlantMockError(`Failed to create a temporary folder: ${error.message}. Set TMPDIR to another folder.`)
  })

export const openSuite = (request: SuiteRequest, changes: readonly Change[], folders: SuiteFolders) => {
  const { command, base, results, signal, runSuite = runInProcesses } = request
  const { options: serverOptions, fixtures } = request.server
  let runs = 0

  /** @param timeout In milliseconds. If undefined, the command is ended after a minute without output. */
  return async (planned: PlannedRun, timeout: number | undefined, onWaiting: () => void): Promise<SuiteRun> => {
    const { keys, ...order } = planned
    const served = changes.filter((change) => keys.includes(keyOf(change)))
    const areServed = served.length > 0
    const plan: Plan = { changes: areServed ? served : changes, areServed, ...order }
    const name = `run_${++runs}_${keys.join('_') || 'unchanged'}`.replaceAll(/[^\w.=-]+/g, '_').slice(0, 80)
    const output = join(folders.output, `${name}.log`)
    const runFolder = join(folders.evidence, `run-${runs}`)
    await mkdir(runFolder, { recursive: true })
    await writeFile(join(runFolder, planFile), JSON.stringify(plan))
    const assumptions = { ...base, ...assumeOf(served) }
    const log = openEvidence(runFolder)
    const server = await startServer(
      { ...serverOptions, fixtures, assume: assumptions },
      { observer: evidenceObserver(log, plan), fixed: [] },
    )
    try {
      // `PLANT_MOCK_ASSUME` contains default values too, to override assumptions from files.
      const assumed = { [assumeVariable]: JSON.stringify(assumptions), PLANT_MOCK_URL: server.url }
      const environment = suiteEnvironment(
        { ...withoutProxyTo(server.url, request.environment), ...assumed },
        runFolder,
      )
      if (results !== undefined) await removeReports(results)
      const written = async (): Promise<number> => {
        onWaiting()
        const files = (await readdir(runFolder)).map((name) => join(runFolder, name))
        const sizes = await Promise.all([output, ...files].map(async (file) => (await stat(file)).size))
        return sizes.reduce((sum, size) => sum + size, 0)
      }
      const silence = timeout === undefined ? { limit: maxSilence, written } : undefined
      const result = await runSuite({ command, environment, output, timeout, silence, signal })
      const recorded = await readTestResults(runFolder)
      const areTimed = results === undefined
      const tests = areTimed ? recorded : await readReports(results, result.passed)
      const passed = tests?.filter(({ outcome }) => outcome === 'passed').length ?? 0
      const unexplained =
        !result.isTimeout && isUnexplained({ ...result, tests })
          ? `, although ${plural(passed, 'test')} passed and none failed`
          : ''
      const { exchanges, sightings, fixed, ...evidence } = await readEvidence(runFolder)
      if (result.passed) await rm(output)
      return {
        ...planned,
        ...result,
        outcome: result.outcome + unexplained,
        output,
        evidence: { exchanges, sightings, fixed },
        differences: differencesByTest(evidence, { tests, areTimed }),
        repetitions: repetitionsIn(evidence, { tests, areTimed }),
        tests,
        areTimed,
      }
    } finally {
      await server.close()
      log.close()
      await rm(runFolder, { recursive: true, force: true })
    }
  }
}

const maxSilence = 60_000
