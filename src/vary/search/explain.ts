import type { NumberedDifference } from '../shadows/evidence.ts'
import { linesByTest, type Observation, type RunRecord, type TestId } from './observe.ts'

type ExchangeDifference = Required<NumberedDifference>

/** A run in which alternatives applied to some exchanges of a test file only. */
export type AppliedRun = {
  readonly failed: boolean
  /** The exchanges of the test that differ under the alternatives, applied or not; those of its file if none does. */
  readonly differing: readonly ExchangeDifference[]
  readonly earlier: readonly ExchangeDifference[]
}

export type Explanation = {
  /**
   * `alone`: the one exchange is enough. `together`: no single one is; these are the smallest set that was seen to break
   * the test. `flaky`: repeats disagree.
   */
  readonly verdict: 'alone' | 'together' | 'flaky'
  readonly exchanges: readonly ExchangeDifference[]
  readonly differing: number
}

/**
 * Finds the exchange of a test that is enough to break it, in log2 n + 2 runs for n that differ: it halves the exchanges
 * that lead up to the failure, and tries the last of them alone. If those of the test are not enough, it goes on with
 * those of earlier tests.
 * @param apply Runs the file of the test with the alternatives in these exchanges. Default: in all of the file.
 */
export const explain = async (apply: (exchanges?: readonly string[]) => Promise<AppliedRun>): Promise<Explanation> => {
  const { failed, differing, earlier } = await apply()
  const found = (verdict: Explanation['verdict'], exchanges: readonly ExchangeDifference[] = []): Explanation => ({
    verdict,
    exchanges,
    differing: differing.length,
  })
  /** @param isKnown Whether all of them are known to break the test. */
  const search = async (all: readonly ExchangeDifference[], isKnown: boolean): Promise<Explanation | undefined> => {
    let isMissing = false
    const fails = async (exchanges: readonly ExchangeDifference[]): Promise<boolean> => {
      const names = exchanges.map(({ name }) => name)
      const run = await apply(names)
      // Without the exchange that was to differ, the run shows nothing.
      isMissing ||= ![...run.earlier, ...run.differing].some(({ name }) => names.includes(name))
      return run.failed
    }
    let passing = 0
    let failing = all.length
    while (failing - passing > 1) {
      const middle = Math.floor((passing + failing) / 2)
      if (await fails(all.slice(0, middle))) failing = middle
      else passing = middle
    }
    const last = all.slice(failing - 1, failing)
    // The first of several has just failed alone.
    if ((failing === 1 && all.length > 1) || (await fails(last))) return found('alone', last)
    const isSeen = isKnown || failing < all.length || (all.length > 1 && (await fails(all)))
    if (isMissing) return undefined
    return isSeen && all.length > 1 ? found('together', all.slice(0, failing)) : undefined
  }

  if (!failed || differing.length === 0) return found('flaky')
  const own = await search(differing, earlier.length === 0)
  const withEarlier = own ?? (earlier.length > 0 ? await search([...earlier, ...differing], true) : undefined)
  return withEarlier ?? found('flaky')
}

/** The part of a run that is about one test. An earlier attempt that failed counts. */
export const appliedRun = (
  { tests, areTimed, evidence: { differences } }: Pick<RunRecord, 'tests' | 'areTimed' | 'evidence'>,
  observation: Pick<Observation, 'failed'>,
  test: TestId,
): AppliedRun => {
  const hasRetried = tests?.some(({ id, wasFlaky = false }) => id === test && wasFlaky) ?? false
  const ofTest = (areTimed && tests && linesByTest(tests, differences).get(test)) || []
  const differing = inOrder(ofTest.length > 0 ? ofTest : differences)
  const until = differing.at(-1)?.exchange ?? 0
  return {
    failed: hasRetried || observation.failed.has(test),
    differing,
    earlier: inOrder(differences).filter(
      ({ exchange }) => exchange < until && !differing.some((own) => own.exchange === exchange),
    ),
  }
}

const inOrder = (lines: readonly NumberedDifference[]): readonly ExchangeDifference[] => {
  const byNumber = new Map(
    lines.map(({ exchange = 0, name = '', request, diff }) => [exchange, { exchange, name, request, diff }]),
  )
  return [...byNumber.values()].toSorted((a, b) => a.exchange - b.exchange)
}
