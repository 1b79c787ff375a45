import type { Assumptions } from '../../core/assumptions/registry.ts'
import { StoppedError, SuiteError } from '../../util/errors.ts'
import { printable } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import type { Change, TestId } from '../evidence/plan.ts'
import { changedFiles, type Uncommitted, uncommittedFiles } from './changed-files.ts'
import { observe, type PlannedRun, type SuiteRun } from './observe.ts'
import { inFolders, openSuite, type SuiteFolders } from './open-suite.ts'
import { suiteProgress } from './progress.ts'
import type { SuiteRequest } from './suite-request.ts'
import { withShortPath } from './test-result.ts'

const minDefaultTimeout = 60_000

export type SessionOptions = {
  readonly changes: readonly Change[]
  readonly noun: 'alternative' | 'mutant'
}

export type SuiteSession = ReturnType<typeof openSession>

export const withSuiteSession = <Result>(
  request: SuiteRequest,
  options: SessionOptions,
  search: (session: SuiteSession) => Promise<Result>,
): Promise<Result> => inFolders((folders) => search(openSession(request, options, folders)))

const openSession = (request: SuiteRequest, options: SessionOptions, folders: SuiteFolders) => {
  const { base, signal, log } = request
  const { changes, noun } = options
  const began = performance.now()
  const runOnce = openSuite(request, changes, folders)
  const runs: SuiteRun[] = []
  let { timeout } = request
  let areTestsKnown = false
  let uncommitted: Uncommitted = new Map()
  const progress = suiteProgress(request, noun)

  const runSet = async (planned: PlannedRun): Promise<SuiteRun> => {
    const most = Math.max(0, ...Object.values(planned.repeats ?? {}).map(({ length }) => length + 1))
    const limit = timeout === undefined || request.timeout !== undefined ? timeout : timeout * (1 + most)
    const run = await runOnce(planned, limit, progress.waiting)
    const failed = run.tests?.filter(({ outcome }) => outcome === 'failed')
    runs.push({ ...run, tests: failed, repetitions: new Map(), evidence: { ...run.evidence, sightings: [] } })
    return run
  }

  return {
    suiteRuns: runs as readonly SuiteRun[],

    /** @throws SuiteError if the suite fails twice or sends no request to a mock; StoppedError after a stop. */
    async first() {
      const attempt = await runSet({ keys: [] })
      const failed = attempt.passed ? undefined : attempt
      const run = failed === undefined || failed.isTimeout || signal.aborted ? attempt : await runSet({ keys: [] })
      if (signal.aborted) throw new StoppedError('Stopped before the first run was complete; nothing was judged.')
      if (run.isTimeout)
        throw new SuiteError(
          `The command did not end: it ${run.outcome}. If it watches files, turn this off. --timeout sets another limit. Output: ${run.output}`,
        )
      if (!run.passed)
        throw new SuiteError(
          `The command fails before anything is changed (${run.outcome}). Fix the command first.${failureNames(run)}${tokensHint(base)} Output: ${run.output}`,
        )
      if (failed !== undefined)
        log(
          `The first run failed (${failed.outcome}), but passed when repeated, so it is flaky.${failureNames(failed)}\n`,
        )
      if (run.evidence.exchanges === 0) throw new SuiteError(noExchange('first'))
      areTestsKnown = run.tests?.some(({ outcome }) => outcome !== 'skipped') ?? false
      timeout ??= Math.max(minDefaultTimeout, 10 * run.milliseconds)
      uncommitted = await uncommittedFiles()
      return { unchanged: failed === undefined ? [observe(run)] : [observe(failed), observe(run)], run }
    },

    announce(run: SuiteRun, exercised: number, repeated: number, exercising: ReadonlySet<TestId>): void {
      const near = run.tests?.filter(({ id }) => exercising.has(id)).map((test) => withShortPath(test).file)
      const jobs = request.jobs ?? 1
      progress.began(run, { exercised, repeated, planned: changes.length, jobs }, [...new Set(near)])
    },

    async run(next: PlannedRun): Promise<SuiteRun | undefined> {
      if (signal.aborted) return undefined
      const number = progress.started(next)
      const run = await runSet(next)
      if (signal.aborted) return undefined
      progress.ended(number, run)
      if (run.passed && run.evidence.exchanges === 0) throw new SuiteError(noExchange('later'))
      return run
    },

    changedFiles: async () => changedFiles(uncommitted, await uncommittedFiles()),

    async refuseLeftovers(failing: readonly TestId[]) {
      if (failing.length === 0) return
      const files = await this.changedFiles()
      const changed = files.length === 0 ? '' : ` Changed files: ${shortened(files)}.`
      const last = runs.at(-1)
      throw new SuiteError(
        `The runs left something behind: the unchanged command passed at the start, and now fails (${last?.outcome}).${last === undefined ? '' : failureNames(last)}${changed} Restore what the tests write, such as files, caches and databases, and let each run clean up after itself. Output: ${last?.output}`,
      )
    },

    summary() {
      progress.done()
      return {
        exchanges: runs.reduce((sum, { evidence }) => sum + evidence.exchanges, 0),
        runs: runs.length,
        milliseconds: performance.now() - began,
        isStopped: signal.aborted,
        areTestsKnown,
      }
    },
  }
}

const failureNames = ({ tests = [] }: Pick<SuiteRun, 'tests'>): string => {
  const names = tests.flatMap(({ outcome, name }) => (outcome === 'failed' ? [name] : []))
  return names.length === 0 ? '' : ` Failed: ${shortened(names)}.`
}

const shortened = (names: readonly string[]): string => printable(shorten(names.join(', '), maxNamesLength))

const tokensHint = (base: Assumptions): string =>
  base['auth.tokens'] === 'listed'
    ? ' Under auth.tokens=listed, the mock responds with 401 to tokens that no fixture names; --assume auth.tokens=any lets it accept them.'
    : ''

const maxNamesLength = 500

const noExchange = (run: 'first' | 'later'): string => {
  const where =
    'Check four things: the suite sends requests to PLANT_MOCK_URL or contains a mock; no other handlers reply first; no configuration has the address of another mock; no tool filters environment variables, such as Turborepo, whose globalEnv must contain PLANT_MOCK_*.'
  return run === 'first'
    ? `No request reached the mock, so there is nothing to test. ${where}`
    : `A later run passed without a request to the mock, which proves nothing: it may be a cached result. Let the command run all tests each time. ${where}`
}
