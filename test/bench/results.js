import { floorName } from './entrants.js'
import { aimText, amount, rangeText, times, verdict } from './report.js'

/** @import { Measured, Results, Row } from './report.js' */

/**
 * The page of a run.
 * @param {Results} results
 * @returns {string} Markdown.
 */
export const pageOf = (results) =>
  [
    `# Benchmarks\n\n${aboutOf(results)}`,
    '![plant-mock and its peers beside a bare node:http server](results.svg)',
    section('Goals', goals(results)),
    ...sizesOf(results).map((plants) =>
      section(`Requests, ${plants.toLocaleString('en')} plants`, requests(results, plants)),
    ),
    section('Start, memory and install', footprints(results)),
    section('Large stores', larges(results)),
    section('In a test, through msw', inProcess(results)),
    section('Import', imports(results)),
    section('What was measured', methodOf(results)),
    section('The peers', results.peers.map(peerText).join('\n')),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n')

/**
 * @param {string} title
 * @param {string} text
 */
const section = (title, text) => (text === '' ? '' : `## ${title}\n\n${text}`)

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows Cells; the first column stands left, the others right.
 */
const table = (head, rows) => {
  if (rows.length === 0) return ''
  const lines = [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows]
  return lines.map((cells) => `| ${cells.map(cellText).join(' | ')} |`).join('\n')
}

/** @param {string} text */
const cellText = (text) => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')

/** @param {Results} results */
const aboutOf = ({ date, environment }) => {
  const { version, node, msw, processor, cores, memory, platform, tool, busy } = environment
  const quiet =
    busy > 0.5
      ? `\n\n**The machine had other work (load ${busy.toFixed(1)} before the run), so these figures are provisional.**`
      : ''
  return `plant-mock ${version} on ${date}, Node ${node}, msw ${msw}; ${processor}, ${cores} cores, ${memory} GiB, ${platform}; load from ${tool}. Made by \`npm run bench -- --write\`.${quiet}`
}

/** @param {Results} results */
const goals = ({ rows }) => {
  const aimed = rows.flatMap((row) =>
    'skipped' in row || row.aim === undefined ? [] : [{ ...row, aim: row.aim }],
  )
  return table(
    ['goal', 'measured', 'of rounds', 'by core', 'aim', ''],
    aimed.map(({ aim, ...row }) => {
      const value = row[aim.of]
      const reached = verdict(aim, row)
      return [
        goalName(row),
        aim.of === 'value' ? amount(row.value, row.unit) : value === undefined ? '' : times(value),
        aim.of === 'ratio' ? rangeText(row.range) : '',
        row.coreRatio === undefined ? '' : times(row.coreRatio),
        aimText(aim, row.unit),
        reached === 'ok' ? 'ok' : `**${reached}**`,
      ]
    }),
  )
}

/** @param {Measured} row */
const goalName = ({ group, what, server, against }) => {
  const about = group === 'Requests' ? what : group === 'Import' ? `Import: ${server}` : `${group}: ${what}`
  return against === undefined ? about : `${about}, to ${against}`
}

/** @param {Results} results */
const sizesOf = ({ rows }) => [...new Set(rows.flatMap(({ load }) => load?.plants ?? []))]

/**
 * @param {Results} results
 * @param {number} plants
 */
const requests = ({ rows }, plants) => {
  const measured = rows.filter(({ load }) => load?.plants === plants)
  const servers = [...new Set(measured.map(({ server }) => server))]
  /**
   * @param {string} server
   * @param {'GET' | 'POST'} method
   */
  const cells = (server, method) => {
    const row = measured.find((row) => row.server === server && row.load?.method === method)
    if (row === undefined) return ['', '', '']
    if ('skipped' in row) return [row.skipped, '', '']
    const failed = row.failed === undefined ? '' : ` (${row.failed} failed)`
    return [
      `${amount(row.value, row.unit)}${failed}`,
      server === floorName ? times(1) : ratioText(row.ratio),
      server === floorName ? times(1) : ratioText(row.coreRatio),
    ]
  }
  return table(
    ['server', 'GET', 'of the floor', 'by core', 'POST', 'of the floor', 'by core'],
    servers.map((server) => [server, ...cells(server, 'GET'), ...cells(server, 'POST')]),
  )
}

/** @param {number | undefined} ratio */
const ratioText = (ratio) => (ratio === undefined ? '' : times(ratio))

/**
 * A table with a line for each of one thing and a column for each of another.
 * @param {string} corner
 * @param {readonly Row[]} rows
 * @param {(row: Row) => string} lineOf
 * @param {(row: Row) => string} columnOf
 */
const pivot = (corner, rows, lineOf, columnOf) => {
  const columns = [...new Set(rows.map(columnOf))]
  const lines = [...new Set(rows.map(lineOf))]
  /** @type {(line: string, column: string) => string} */
  const cell = (line, column) => {
    const row = rows.find((row) => lineOf(row) === line && columnOf(row) === column)
    if (row === undefined) return ''
    return 'skipped' in row ? row.skipped : amount(row.value, row.unit)
  }
  return table(
    [corner, ...columns],
    lines.map((line) => [line, ...columns.map((column) => cell(line, column))]),
  )
}

/**
 * @param {Results} results
 * @param {...string} groups
 */
const inGroups = ({ rows }, ...groups) => rows.filter(({ group }) => groups.includes(group))

/** @param {Results} results */
const footprints = (results) =>
  pivot(
    'server',
    inGroups(results, 'Start', 'Memory', 'Install').toSorted((a, b) => order(a) - order(b)),
    ({ server }) => server,
    ({ what }) => what,
  )

/** @param {Row} row */
const order = ({ group }) => ['Start', 'Memory', 'Install'].indexOf(group)

/** @param {Results} results */
const larges = (results) =>
  pivot(
    'plant-mock with',
    inGroups(results, 'Large stores'),
    ({ what }) => what.split(': ')[0] ?? '',
    ({ what }) => what.split(': ')[1] ?? '',
  )

/** @param {Results} results */
const inProcess = (results) =>
  table(
    ['answered by', 'user time of a request', 'ratio', 'of rounds'],
    inGroups(results, 'In process, through msw').flatMap((row) =>
      'skipped' in row
        ? []
        : [
            [
              `${row.what.split(',')[0]}: ${row.server}`,
              amount(row.value, row.unit),
              ratioText(row.ratio),
              rangeText(row.range),
            ],
          ],
    ),
  )

/** @param {Results} results */
const imports = (results) =>
  pivot(
    'module',
    inGroups(results, 'Import'),
    ({ server }) => server,
    ({ what }) => what,
  )

/** @param {Results} results */
const methodOf = ({ environment, settings }) => {
  const { rounds, peerRounds, seconds, warmUp, fetchRounds, fetches } = settings
  const cores = environment.pinned ? ', the server kept to one core and the load to another' : ''
  return [
    `- **The floor** is a bare \`node:http\` server that answers with the bytes of plant-mock by heart.`,
    `- **Requests**: 32 connections${cores}; after ${warmUp} s to warm up, ${rounds} rounds of ${seconds} s in turns (peers: ${peerRounds}), the order turned round each time. Only the server whose turn it is runs. A figure is the median of the rounds, a ratio the median of their ratios. A create has an id of its own, so a store grows as it is measured. The floor and plant-mock may not fail once; of others, failed requests and those that took longer than the tool waits are counted.`,
    '- **By core** is the same ratio of the time that an answer keeps a core busy, all threads of the server together: other work on the machine changes it little.',
    '- **Flatness** compares one plant-mock with many plants to another with few, in the same turns.',
    '- **Cold start** is from the start of the process to the end of its first answer; peers with 24 plants, as many as plant-mock starts with.',
    '- **Memory** is what is resident after the load, and for large stores after the first answer.',
    '- **Install** is one package in an empty project, as `du` counts.',
    `- **In a test**: \`setupServer(...plantHandlers(mock))\`, beside a static handler of msw that answers with the same body and headers (and reads the body of a create); a process each, ${fetchRounds} rounds of ${fetches.toLocaleString('en')} requests in turns, 1,000 plants.`,
    '- **Import** is the median time in processes of their own; peers of plant-mock (msw, vitest, Playwright) are part of the door that needs them.',
  ].join('\n')
}

/** @param {Results['peers'][number]} peer */
const peerText = ({ name, packages, command, differs, node }) => {
  const shown = command.includes('`') ? command : `\`${command}\``
  return `- **${name}** (${packages.join(', ')}${node === undefined ? '' : `; asks for Node ${node}`}): ${shown}. It ${differs}.`
}
