import { plantMockName } from './targets.js'

/** @import { Measured, Results, Row } from './report.js' */

/**
 * Returns the rows of all groups, and the leads that follow from them.
 * @param {Results} results
 * @returns {readonly Row[]}
 */
export const rowsOf = ({ groups }) => {
  const rows = groups.flatMap(({ rows }) => rows)
  return [...rows, ...leads(rows)]
}

/**
 * Compares plant-mock with the fastest peer of each load, by their ratios to the baseline.
 * @param {readonly Row[]} rows
 * @returns {readonly Row[]}
 */
export const leads = (rows) => {
  const rated = rows.flatMap((row) => ('ratio' in row && row.ratio !== undefined && row.load ? [row] : []))
  return rated
    .filter(({ server }) => server === plantMockName)
    .flatMap((ours) => {
      const peers = rated.filter(({ what, server }) => what === ours.what && !server.startsWith(plantMockName))
      const [fastest] = peers.toSorted((a, b) => (b.ratio ?? 0) - (a.ratio ?? 0))
      return fastest === undefined ? [] : [leadOver(fastest, ours)]
    })
}

/**
 * @param {Measured} peer
 * @param {Measured} ours
 * @returns {Row}
 */
const leadOver = (peer, { what, server, load, unit, value, ratio = Number.NaN, coreRatio = Number.NaN }) => {
  const lead = ratio / (peer.ratio ?? Number.NaN)
  const coreLead = coreRatio / (peer.coreRatio ?? Number.NaN)
  return {
    ...{ group: 'Lead over the fastest peer', what, server, unit, value, against: peer.server, ratio: lead },
    ...(load !== undefined && { load }),
    ...(!Number.isNaN(coreLead) && { coreRatio: coreLead }),
    aim: { of: 'ratio', atLeast: 5 },
  }
}
