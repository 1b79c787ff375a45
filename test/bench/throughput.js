import { rateFields, toBaseline, toOther } from './compare.js'
import { measureRates } from './rates.js'
import { baselineName, plantMockName, plantMockTarget } from './targets.js'

/** @import { Context } from './groups.js' */
/** @import { Aim, MeasuredLoad, Row } from './report.js' */
/** @import { Method, Series } from './rates.js' */

const group = 'Requests'
const methods = /** @type {const} */ (['GET', 'POST'])
const few = 1_000
const many = 100_000

/** @param {MeasuredLoad} load */
const loadName = ({ method, plants }) =>
  `${method === 'GET' ? 'GET /plants?limit=20' : 'POST /plants'}, ${plantsText(plants)}`

/** @param {number} plants */
const plantsText = (plants) => `${plants.toLocaleString('en')} plants`

/** @param {MeasuredLoad} load */
const loadFields = (load) => ({ group, what: loadName(load), load })

/**
 * Measures the rates of plant-mock with few, many and a million plants, and how they differ.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* throughput(context) {
  const { million } = context.settings
  const ours = plantMockTarget(context.workspace)
  for (const method of methods) {
    const servers = [few, many, million].map((plants) => ({ target: ours, plants }))
    const all = await measureRates(await benchOf(context), method, servers, context.settings)
    for (const series of all) {
      yield baselineRow(method, series)
      yield rateRow(method, series, { of: 'ratio', atLeast: series.plants === million ? 0.82 : 0.85 })
    }
    const [small, ...larger] = all
    for (const series of larger)
      yield {
        group: 'Flatness',
        what: `${method}, ${plantsText(series.plants)}`,
        server: plantMockName,
        ...rateFields(series.rounds.map(({ rate }) => rate)),
        ...toOther(series.rounds, small?.rounds ?? []),
        against: plantsText(few),
        aim: { of: 'coreRatio', atLeast: 0.95, atMost: 1.05 },
      }
  }
}

const logAims = { GET: 0.7, POST: 0.55 }

/**
 * Measures the rates of plant-mock with its request log.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* requestLog(context) {
  const logging = { target: plantMockTarget(context.workspace, { log: true }), plants: few }
  for (const method of methods)
    for (const series of await measureRates(await benchOf(context), method, [logging], context.settings))
      yield rateRow(method, series, { of: 'ratio', atLeast: logAims[method] })
}

/**
 * Measures the rates of the peers, in fewer and shorter rounds.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* peerRates(context) {
  const { peerRounds: rounds, peerSeconds: seconds, warmUp } = context.settings
  const targets = (await context.peers()).map(({ target }) => target)
  for (const plants of [few, many])
    for (const method of methods) {
      const servers = targets.map((target) => {
        const broken = target.unavailable ?? (plants > few ? target.stateless : undefined)
        return { target, plants, ...(broken !== undefined && { broken }) }
      })
      for (const series of await measureRates(await benchOf(context), method, servers, { rounds, seconds, warmUp }))
        yield rateRow(method, series)
    }
}

/** @param {Context} context */
const benchOf = async ({ workspace, tool, baseline, round }) => ({
  workspace,
  tool,
  baseline: await baseline(),
  round,
})

/**
 * @param {Method} method
 * @param {Series} series
 * @returns {Row}
 */
const baselineRow = (method, { plants, rounds }) => ({
  ...loadFields({ method, plants }),
  server: baselineName,
  ...rateFields(rounds.flatMap(({ before, after }) => [before, after])),
})

/**
 * @param {Method} method
 * @param {Series} series
 * @param {Aim} [aim]
 * @returns {Row}
 */
const rateRow = (method, { target, plants, rounds, broken }, aim) => {
  const row = { ...loadFields({ method, plants }), server: target.name }
  if (broken !== undefined) return { ...row, skipped: broken }
  return {
    ...row,
    ...rateFields(rounds.map(({ rate }) => rate)),
    ...toBaseline(rounds),
    against: baselineName,
    ...(aim !== undefined && { aim }),
  }
}
