/** Figures, and the page and the picture that show them. */

/**
 * @typedef {object} Row
 * @property {'requests' | 'start' | 'import' | 'inprocess' | 'memory'} group
 * @property {string} what
 * @property {string} subject
 * @property {number} [ratio] Median of the rounds.
 * @property {readonly number[]} [range] The lowest and the highest round.
 * @property {number} [value] Median of the rounds, for orientation: it depends on the machine.
 * @property {string} [unit]
 * @property {string} [skipped] The reason that there is no figure.
 */

/** @typedef {{ about: string, rows: readonly Row[], peers: readonly { name: string, differs: string }[] }} Results */

/** The median; of an even number of values, the upper one. @param {readonly number[]} values */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/**
 * @param {readonly number[]} ratios One of each round.
 * @returns {Required<Pick<Row, 'ratio' | 'range'>>}
 */
export const ratioFields = (ratios) => ({ ratio: median(ratios), range: [Math.min(...ratios), Math.max(...ratios)] })

/**
 * Returns the first line of an error message without the paths of this machine.
 * @param {unknown} error
 */
export const reasonOf = (error) => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replaceAll(/(?:file:\/\/)?(?:\/[\w.@+-]+){2,}/g, '…')
}

/** @param {number} figure */
const format = (figure) => figure.toLocaleString('en', { maximumSignificantDigits: 3 })

/** Renders the figures of a row; the value of one with a ratio is left to the console. @param {Row} row */
const figuresOf = ({ what, ratio, range = [], value = 0, unit = '', skipped }) => {
  if (skipped !== undefined) return `${what} not measured: ${skipped}`
  const rounds = range.length > 0 ? ` (${range.map(format).join('–')})` : ''
  const figures = ratio === undefined ? `${format(value)} ${unit}` : `${format(ratio)}${rounds}`
  return `${what} ${figures}`.trim()
}

/** Renders a row as a line, with the value that depends on the machine. @param {Row} row */
export const lineOf = (row) =>
  `${row.group}: ${row.subject}: ${figuresOf(row)}${row.ratio === undefined ? '' : `, ${format(row.value ?? 0)} ${row.unit}`}`

/** Heading and introduction of each list. @type {Readonly<Record<Row['group'], readonly [heading: string, intro: string]>>} */
const groups = {
  requests: [
    'Requests',
    '`GET /plants?limit=20` and `POST /plants` in the same processor time, to a bare `node:http` server that sends the same bodies: more is better. 1,000 plants unless stated.',
  ],
  start: ['Start', 'Processor time until the first response, to that server: less is better. 24 plants unless stated.'],
  import: ['Import', 'Processor time of a process that imports the module, to an empty one: less is better.'],
  inprocess: [
    'In process',
    'Processor time of a call, to a static handler, for `plantHandlers` one of msw: less is better.',
  ],
  memory: ['Memory', 'Resident after start and lists. A run fails if it grows under load, or files stay open.'],
}

/**
 * Renders the page.
 * @param {Results} results
 * @returns {string} Markdown.
 */
export const renderPage = ({ about, rows, peers }) =>
  `${[
    '# Benchmarks',
    about,
    '![plant-mock and its peers beside a bare node:http server](results.svg)',
    'Ratios compare processor time, so that other load matters little: medians (lowest–highest) of rounds in turns within one run. `npm run bench` measures again.',
    ...Object.entries(groups).flatMap(([group, [heading, intro]]) => {
      const shown = rows.filter((row) => row.group === group)
      const lines = [...new Set(shown.map(({ subject }) => subject))].map((name) => {
        const figures = shown.filter(({ subject }) => subject === name).map(figuresOf)
        return `- ${name}: ${figures.join(', ')}`
      })
      return [`## ${heading}`, intro, lines.join('\n')]
    }),
    ['## Peers\n', ...peers.map(({ name, differs }) => `- ${name} ${differs}.`)].join('\n'),
  ].join('\n\n')}\n`

// All lengths are in pixels.
const [margin, labelWidth, barWidth, figureWidth, rowHeight, top] = [24, 150, 220, 70, 34, 84]
const panel = barWidth + figureWidth
const width = margin + labelWidth + 2 * panel + margin

/**
 * Draws the requests of plant-mock and its peers as shares of the baseline.
 * @param {Results} results
 * @returns {string} SVG.
 */
export const renderPicture = ({ about, rows }) => {
  const shown = rows.filter(({ group, subject }) => group === 'requests' && !subject.includes(', '))
  const names = [...new Set(shown.map(({ subject }) => subject))]
  const height = top + (names.length + 1) * rowHeight + 44
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title about">
<title id="title">${title}</title>
<desc id="about">${escaped(shown.map((row) => `${row.subject}, ${row.what}: ${percent(row.ratio)}.`).join(' '))}</desc>
<style>${style}</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
<text class="heading" x="${margin}" y="38">${title}</text>
${['bare node:http', ...names].map((name, i) => `<text${name === 'plant-mock' ? ' class="strong"' : ''} x="${margin}" y="${top + i * rowHeight + 15}">${name}</text>`).join('\n')}
${panelOf('GET', margin + labelWidth, shown)}
${panelOf('POST', margin + labelWidth + panel, shown)}
<text class="small" x="${margin}" y="${height - 16}">${escaped(about)}</text>
</svg>
`
}

const title = 'Requests in the same processor time, as a share of a bare node:http server'

/**
 * @param {string} method
 * @param {number} x
 * @param {readonly Row[]} rows
 */
const panelOf = (method, x, rows) => {
  const shares = [{ subject: 'bare', ratio: 1 }, ...rows.filter(({ what }) => what === method)]
  const bars = shares.map(({ subject, ratio = 0 }, i) => {
    const length = Math.max(2, ratio * barWidth)
    const kind = i < 2 ? subject : 'peer'
    return `<rect class="${kind}" x="${x}" y="${top + i * rowHeight}" width="${length.toFixed(1)}" height="20" rx="2"/><text class="small" x="${(x + length + 6).toFixed(1)}" y="${top + i * rowHeight + 15}">${percent(ratio)}</text>`
  })
  return `<text class="strong" x="${x}" y="70">${method} /plants</text>${bars.join('')}`
}

const style = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif; fill: #1f2328 }
.heading { font-size: 16px; font-weight: 600 }
.strong { font-weight: 600 }
.small { font-size: 12px; fill: #59636e }
.page { fill: #ffffff }
.bare { fill: #8c959f }
.plant-mock { fill: #1a7f37 }
.peer { fill: #6384b8 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #9198a1 }
  .page { fill: #0d1117 }
  .bare { fill: #7d8590 }
  .plant-mock { fill: #3fb950 }
  .peer { fill: #6f93cc }
}
`

/** @param {number} [share] */
const percent = (share = 0) => (share === 0 ? 'not measured' : `${format(share * 100)} %`)

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
