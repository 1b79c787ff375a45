import { loadInterleaved } from './interleave.js'
import { median, ratiosByRound } from './numbers.js'
import { baselineName, plantMockName, plantMockTarget } from './targets.js'

/** @import { Target } from './targets.js' */
/** @import { Tool } from './load.js' */
/** @import { MeasuredLoad, Measured, Row } from './report.js' */
/** @import { Participant, Result } from './interleave.js' */
/** @import { Workspace } from './workspace.js' */

/** @typedef {{ rounds: number, peerRounds: number, seconds: number, warmUp: number, million: number }} Settings */
/** @typedef {{ baseline: Target, ours: Target }} Pair */

const group = 'Requests'
const methods = /** @type {const} */ (['GET', 'POST'])
const few = 1_000
const many = 100_000

/** @param {MeasuredLoad} load */
const loadName = ({ method, plants }) =>
  `${method === 'GET' ? 'GET /plants?limit=20' : 'POST /plants'}, ${plants.toLocaleString('en')} plants`

/** @param {MeasuredLoad} load */
const loadFields = (load) => ({ group, what: loadName(load), load })

/**
 * Measures the responses a second of all servers in interleaved rounds, as a ratio of rates and as a ratio of CPU time
 * for each response, which other processes hardly change.
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {Pair & { peers: readonly Target[] }} field
 * @param {Settings} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* throughput(workspace, tool, { baseline, ours, peers }, settings) {
  const { rounds, peerRounds } = settings
  for (const plants of [few, many])
    for (const method of methods) {
      const load = { method, plants }
      /** @param {Target} target */
      const skipReason = ({ unavailable, stateless }) => unavailable ?? (plants > few ? stateless : undefined)
      const available = peers.filter((target) => skipReason(target) === undefined)
      const participants = [
        ...[baseline, ours].map(participate(plants, rounds)),
        ...available.map(participate(plants, peerRounds)),
      ]
      const results = await loadInterleaved(workspace, tool, method, participants, settings)
      yield* rateRows(load, results)
      for (const target of peers) {
        const skipped = skipReason(target)
        if (skipped !== undefined) yield { ...loadFields(load), server: target.name, skipped }
      }
      yield* leadRows(load, results)
    }
}

/**
 * Measures the cost of the request log.
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {Pair} pair
 * @param {Settings} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* requestLog(workspace, tool, { baseline }, settings) {
  const logging = { ...plantMockTarget(workspace, { log: true }), name: `${plantMockName}, request log on` }
  for (const method of methods)
    yield* rateRows(
      { method, plants: few },
      await loadInterleaved(
        workspace,
        tool,
        method,
        [baseline, logging].map(participate(few, settings.peerRounds)),
        settings,
      ),
      false,
    )
}

/** @type {(plants: number, rounds: number) => (target: Target) => Participant} */
const participate = (plants, rounds) => (target) => ({ target, plants, rounds })

/**
 * Compares a very large store with a small one in the same rounds.
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {Pair} pair
 * @param {Settings} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* growth(workspace, tool, { baseline, ours }, settings) {
  const { million, rounds } = settings
  for (const method of methods) {
    const [baselineParticipant, grown, small] = [
      participate(million, rounds)(baseline),
      participate(million, rounds)(ours),
      participate(few, rounds)(ours),
    ]
    const [base, large, little] = await loadInterleaved(
      workspace,
      tool,
      method,
      [baselineParticipant, grown, small],
      settings,
    )
    if (base === undefined || large === undefined || little === undefined) return
    yield* rateRows({ method, plants: million }, [base, large])
    yield {
      ...compareTo(large, little),
      group: 'Flatness',
      what: `${method}, ${million.toLocaleString('en')} plants`,
      server: plantMockName,
      against: `${few.toLocaleString('en')} plants`,
      aim: { of: 'coreRatio', atLeast: 0.95 },
    }
  }
}

/**
 * @param {MeasuredLoad} load
 * @param {readonly Result[]} results The first is that of the baseline.
 * @param {boolean} [aimed]
 * @returns {Generator<Row>}
 */
function* rateRows(load, results, aimed = true) {
  const [baseline] = results
  for (const result of results) {
    const server = result.participant.target.name
    if (result.broken !== undefined) yield { ...loadFields(load), server, skipped: result.broken }
    else if (baseline === undefined || server === baselineName)
      yield { ...loadFields(load), server, ...rateFields(result) }
    else {
      const aim = { of: /** @type {const} */ ('ratio'), atLeast: 0.8 }
      const row = { ...loadFields(load), server, ...compareTo(result, baseline), against: baselineName }
      yield server === plantMockName && aimed ? { ...row, aim } : row
    }
  }
}

/**
 * Compares plant-mock with the fastest peer.
 * @param {MeasuredLoad} load
 * @param {readonly Result[]} results
 * @returns {Generator<Row>}
 */
function* leadRows(load, results) {
  const ours = results.find(({ participant }) => participant.target.name === plantMockName)
  const [fastest] = results
    .filter(({ participant, broken }) => participant.target.mayFail && broken === undefined)
    .toSorted((a, b) => median(b.rates) - median(a.rates))
  if (ours === undefined || fastest === undefined) return
  const against = fastest.participant.target.name
  yield {
    group: 'Lead over the fastest peer',
    what: loadName(load),
    server: plantMockName,
    ...compareTo(ours, fastest),
    against,
    aim: { of: 'ratio', atLeast: 5 },
  }
}

/** @param {Result} result */
const rateFields = ({ rates, failed }) => ({
  unit: /** @type {const} */ ('/s'),
  value: median(rates),
  ...(failed > 0 && { failed }),
})

/**
 * @param {Result} result
 * @param {Result} base
 * @returns {Pick<Measured, 'unit' | 'value' | 'ratio' | 'range' | 'coreRatio' | 'failed'>}
 */
const compareTo = (result, base) => {
  const ratios = ratiosByRound(result.rates, base.rates)
  const coreRatios = ratiosByRound(base.cores, result.cores)
  return {
    ...rateFields(result),
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    ...(!coreRatios.some(Number.isNaN) && { coreRatio: median(coreRatios) }),
  }
}
