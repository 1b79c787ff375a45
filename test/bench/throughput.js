import { enterOurs, floorName, oursName } from './entrants.js'
import { median, quotients } from './numbers.js'
import { inTurns } from './turns.js'

/** @import { Entrant } from './entrants.js' */
/** @import { Tool } from './load.js' */
/** @import { LoadOf, Measured, Row } from './report.js' */
/** @import { Racer, Result } from './turns.js' */
/** @import { Workplace } from './workplace.js' */

/** @typedef {{ rounds: number, peerRounds: number, seconds: number, warmUp: number, million: number }} Settings */
/** @typedef {{ floor: Entrant, ours: Entrant }} Pair */

const group = 'Requests'
const methods = /** @type {const} */ (['GET', 'POST'])
const few = 1_000
const many = 100_000

/** @param {LoadOf} load */
const nameOf = ({ method, plants }) =>
  `${method === 'GET' ? 'GET /plants?limit=20' : 'POST /plants'}, ${plants.toLocaleString('en')} plants`

/** @param {LoadOf} load */
const placeOf = (load) => ({ group, what: nameOf(load), load })

/**
 * Answers a second of all servers, in turns. Beside the ratio of two rates stands that of the time that an answer
 * keeps a core busy, which other processes change little.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {Pair & { peers: readonly Entrant[] }} field
 * @param {Settings} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* throughput(work, tool, { floor, ours, peers }, settings) {
  const { rounds, peerRounds } = settings
  for (const plants of [few, many])
    for (const method of methods) {
      const load = { method, plants }
      /** @param {Entrant} entrant */
      const reasonOf = ({ missing, keepsNothing }) => missing ?? (plants > few ? keepsNothing : undefined)
      const able = peers.filter((entrant) => reasonOf(entrant) === undefined)
      const racers = [...[floor, ours].map(asRacer(plants, rounds)), ...able.map(asRacer(plants, peerRounds))]
      const results = await inTurns(work, tool, method, racers, settings)
      yield* ratesOf(load, results)
      for (const entrant of peers) {
        const skipped = reasonOf(entrant)
        if (skipped !== undefined) yield { ...placeOf(load), server: entrant.name, skipped }
      }
      yield* leadOf(load, results)
    }
}

/**
 * What printing a line a request costs.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {Pair} pair
 * @param {Settings} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* withLog(work, tool, { floor }, settings) {
  const logging = { ...enterOurs(work, { log: true }), name: `${oursName}, request log on` }
  for (const method of methods)
    yield* ratesOf(
      { method, plants: few },
      await inTurns(work, tool, method, [floor, logging].map(asRacer(few, settings.peerRounds)), settings),
      false,
    )
}

/** @type {(plants: number, rounds: number) => (entrant: Entrant) => Racer} */
const asRacer = (plants, rounds) => (entrant) => ({ entrant, plants, rounds })

/**
 * The same with very many plants, and with few of them in the same turns: how much the store's size costs.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {Pair} pair
 * @param {Settings} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* growth(work, tool, { floor, ours }, settings) {
  const { million, rounds } = settings
  for (const method of methods) {
    const [floorRacer, grown, small] = [
      asRacer(million, rounds)(floor),
      asRacer(million, rounds)(ours),
      asRacer(few, rounds)(ours),
    ]
    const [base, large, little] = await inTurns(work, tool, method, [floorRacer, grown, small], settings)
    if (base === undefined || large === undefined || little === undefined) return
    yield* ratesOf({ method, plants: million }, [base, large])
    yield {
      ...compared(large, little),
      group: 'Flatness',
      what: `${method}, ${million.toLocaleString('en')} plants`,
      server: oursName,
      against: `${few.toLocaleString('en')} plants`,
      aim: { of: 'coreRatio', atLeast: 0.95 },
    }
  }
}

/**
 * @param {LoadOf} load
 * @param {readonly Result[]} results The floor's first.
 * @param {boolean} [aimed]
 * @returns {Generator<Row>}
 */
function* ratesOf(load, results, aimed = true) {
  const [floor] = results
  for (const result of results) {
    const server = result.racer.entrant.name
    if (result.broken !== undefined) yield { ...placeOf(load), server, skipped: result.broken }
    else if (floor === undefined || server === floorName)
      yield { ...placeOf(load), server, ...rateOf(result) }
    else {
      const aim = { of: /** @type {const} */ ('ratio'), atLeast: 0.8 }
      const row = { ...placeOf(load), server, ...compared(result, floor), against: floorName }
      yield server === oursName && aimed ? { ...row, aim } : row
    }
  }
}

/**
 * plant-mock beside the fastest peer.
 * @param {LoadOf} load
 * @param {readonly Result[]} results
 * @returns {Generator<Row>}
 */
function* leadOf(load, results) {
  const ours = results.find(({ racer }) => racer.entrant.name === oursName)
  const [fastest] = results
    .filter(({ racer, broken }) => racer.entrant.tolerant && broken === undefined)
    .toSorted((a, b) => median(b.rates) - median(a.rates))
  if (ours === undefined || fastest === undefined) return
  const against = fastest.racer.entrant.name
  yield {
    group: 'Lead over the fastest peer',
    what: nameOf(load),
    server: oursName,
    ...compared(ours, fastest),
    against,
    aim: { of: 'ratio', atLeast: 5 },
  }
}

/** @param {Result} result */
const rateOf = ({ rates, failed }) => ({
  unit: /** @type {const} */ ('/s'),
  value: median(rates),
  ...(failed > 0 && { failed }),
})

/**
 * @param {Result} result
 * @param {Result} base
 * @returns {Pick<Measured, 'unit' | 'value' | 'ratio' | 'range' | 'coreRatio' | 'failed'>}
 */
const compared = (result, base) => {
  const ratios = quotients(result.rates, base.rates)
  const coreRatios = quotients(base.cores, result.cores)
  return {
    ...rateOf(result),
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    ...(!coreRatios.some(Number.isNaN) && { coreRatio: median(coreRatios) }),
  }
}
