import { rowsOf } from './leads.js'
import { formatAmount } from './report.js'
import { baselineName, plantMockName } from './targets.js'

/** @import { Results, Row } from './report.js' */

const methods = /** @type {const} */ (['GET', 'POST'])
const names = { GET: 'GET /plants?limit=20', POST: 'POST /plants' }

// All lengths are in pixels.
const margin = 24
const labelWidth = 172
const barWidth = 210
const figureWidth = 124
const rowHeight = 46
const top = 112
const panel = barWidth + figureWidth
const width = margin + labelWidth + 2 * panel + margin - 12

/** The ratio to the baseline at which bars begin. */
const minShare = 0.001
const decades = [0.001, 0.01, 0.1, 1]

/** @param {number} share */
const lengthOf = (share) =>
  Math.max(2, (barWidth * Math.log10(Math.max(share, minShare) / minShare)) / -Math.log10(minShare))

/**
 * Draws the rates of all servers relative to the baseline on a logarithmic scale: lists on the left, creates on the
 * right, the small store above the large one.
 * @param {Results} results
 * @returns {string} SVG.
 */
export const renderPlot = (results) => {
  const rates = rowsOf(results).filter(({ group }) => group === 'Requests')
  const sizes = [...new Set(rates.map(({ load }) => load?.plants ?? 0))].slice(0, 2)
  const servers = serversOf(rates, sizes)
  const height = top + servers.length * rowHeight + 58
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title about">
<title id="title">Requests a second of plant-mock and its peers, as a share of a bare node:http server</title>
<desc id="about">${escaped(description(rates, servers, sizes))}</desc>
<style>${style}</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
<text class="heading" x="${margin}" y="38">Requests a second, as a share of a bare node:http server</text>
<g class="small">${legend(sizes)}</g>
${methods.map((method, i) => panelHead(method, margin + labelWidth + i * panel, servers.length)).join('\n')}
${servers.map((server, i) => serverRow(server, top + i * rowHeight, rates, sizes)).join('\n')}
<text class="small" x="${margin}" y="${height - 18}">${escaped(caption(results))}</text>
</svg>
`
}

const style = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif; fill: #1f2328 }
.heading { font-size: 17px; font-weight: 600 }
.small, .small text { font-size: 12px; fill: #59636e }
.end { text-anchor: end }
.middle { text-anchor: middle }
.strong { font-weight: 600 }
.page { fill: #ffffff }
.grid { stroke: #d1d9e0 }
.baseline { fill: #8c959f }
.ours { fill: #1a7f37 }
.peer { fill: #6384b8 }
.baseline.large { fill: #c8cdd3 }
.ours.large { fill: #8fc4a0 }
.peer.large { fill: #b3c4de }
.figure { stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round; paint-order: stroke }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small, .small text { fill: #9198a1 }
  .page { fill: #0d1117 }
  .grid { stroke: #3d444d }
  .baseline { fill: #7d8590 }
  .ours { fill: #3fb950 }
  .peer { fill: #6f93cc }
  .baseline.large { fill: #454c54 }
  .ours.large { fill: #256334 }
  .peer.large { fill: #3d506e }
  .figure { stroke: #0d1117 }
}
`

/**
 * Orders the servers: the baseline, plant-mock, then the peers by rate.
 * @param {readonly Row[]} rates
 * @param {readonly number[]} sizes
 */
const serversOf = (rates, [few]) => {
  /** @param {string} server */
  const sharesOf = (server) => methods.map((method) => shareOf(find(rates, server, method, few)) ?? 0)
  const peers = [...new Set(rates.map(({ server }) => server))].filter((name) => !name.startsWith(plantMockName))
  const ranked = peers
    .filter((name) => name !== baselineName)
    .toSorted((a, b) => Math.max(...sharesOf(b)) - Math.max(...sharesOf(a)))
  return [baselineName, plantMockName, ...ranked]
}

/** @param {readonly number[]} sizes */
const legend = (sizes) =>
  sizes
    .map((plants, i) => {
      const x = margin + i * 132
      const swatch = `<rect class="baseline${i === 0 ? '' : ' large'}" x="${x}" y="${i === 0 ? 53 : 54}" width="18" height="${barHeights[i]}" rx="2"/>`
      return `${swatch}<text x="${x + 26}" y="64">${plants.toLocaleString('en')} plants</text>`
    })
    .join('')

/** The heights of the bars of the small and the large store. */
const barHeights = [14, 12]

/**
 * @param {'GET' | 'POST'} method
 * @param {number} x
 * @param {number} rowCount
 */
const panelHead = (method, x, rowCount) => {
  const bottom = top + rowCount * rowHeight
  const grid = decades.map((share) => {
    const at = x + (share === minShare ? 0 : lengthOf(share))
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top - 6}" y2="${bottom}"/><text class="small middle" x="${at}" y="${bottom + 16}">${share * 100} %</text>`
  })
  return `<text class="strong" x="${x}" y="${top - 16}">${names[method]}</text>\n${grid.join('')}`
}

/**
 * @param {string} server
 * @param {number} y
 * @param {readonly Row[]} rates
 * @param {readonly number[]} sizes
 */
const serverRow = (server, y, rates, sizes) => {
  const kind = server === baselineName ? 'baseline' : server === plantMockName ? 'ours' : 'peer'
  const emphasis = kind === 'ours' ? 'strong ' : ''
  const name = `<text class="${emphasis}end" x="${margin + labelWidth - 14}" y="${y + 24}">${escaped(server)}</text>`
  // The baseline has no store, so one bar is enough.
  const shown = kind === 'baseline' ? sizes.slice(0, 1) : sizes
  const drawn = methods.flatMap((method, i) =>
    shown.map((plants, size) => {
      const row = find(rates, server, method, plants)
      const at = y + (kind === 'baseline' ? 12 : size === 0 ? 4 : 20)
      return row === undefined
        ? ''
        : barOf(row, size === 0 ? kind : `${kind} large`, margin + labelWidth + i * panel, at, barHeights[size] ?? 0)
    }),
  )
  return name + drawn.join('')
}

/**
 * @param {Row} row
 * @param {string} kind
 * @param {number} x
 * @param {number} y
 * @param {number} height
 */
const barOf = (row, kind, x, y, height) => {
  const share = shareOf(row)
  const length = share === undefined ? 0 : lengthOf(share)
  const bar = `<rect class="${kind}" x="${x}" y="${y}" width="${length.toFixed(1)}" height="${height}" rx="2"/>`
  const text = `<text class="small figure" x="${(x + length + 6).toFixed(1)}" y="${y + height - 2}">${figureOf(row)}</text>`
  return share === undefined ? text : bar + text
}

/** @param {Row} row */
const figureOf = (row) => {
  if ('skipped' in row) return row.skipped.length > 20 ? 'not measured' : escaped(row.skipped)
  return row.value === 0 ? 'none in 10 s' : `${percent(shareOf(row) ?? 0)} · ${formatAmount(row.value, row.unit)}`
}

/** @param {Row} [row] */
const shareOf = (row) => {
  if (row === undefined || 'skipped' in row) return undefined
  return row.server === baselineName ? 1 : (row.ratio ?? 0)
}

/**
 * @param {readonly Row[]} rates
 * @param {string} server
 * @param {'GET' | 'POST'} method
 * @param {number} [plants]
 */
const find = (rates, server, method, plants) =>
  rates.find((row) => row.server === server && row.load?.method === method && row.load.plants === plants)

/** @param {number} share */
const percent = (share) => `${Number((share * 100).toPrecision(share >= 0.1 ? 2 : 1))} %`

/** @param {Results} results */
const caption = ({ date, environment: { node, version, processor } }) =>
  `Logarithmic scale, from 0.1 %. plant-mock ${version}, Node ${node}, server on one core (${processor}), ${date}`

/**
 * @param {readonly Row[]} rates
 * @param {readonly string[]} servers
 * @param {readonly number[]} sizes
 */
const description = (rates, servers, [few = 0]) => {
  const shares = servers.slice(1).map((server) => {
    const each = methods.map((method) => {
      const row = find(rates, server, method, few)
      const share = shareOf(row)
      return share === undefined ? `${method} not measured` : `${method} ${percent(share)}`
    })
    return `${server}: ${each.join(', ')}`
  })
  return `With ${few.toLocaleString('en')} plants. ${shares.join('. ')}.`
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
