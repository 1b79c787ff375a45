/** @import { PeerFacts, Results } from './report.js' */

/**
 * Describes the versions and the machine of a run.
 * @param {Results} results
 */
export const environmentText = ({ date, environment }) => {
  const { version, node, msw, processor, cores, memory, platform, tool, busy } = environment
  const warning =
    busy > 0.5
      ? `\n\n**The machine was busy (load ${busy.toFixed(1)} before the run), so these figures are provisional.**`
      : ''
  return `plant-mock ${version} on ${date}, Node ${node}, msw ${msw}; ${processor}, ${cores} cores, ${memory} GiB, ${platform}; load from ${tool}. Made by \`npm run bench -- --write\`.${warning}`
}

/**
 * Describes how each figure was measured.
 * @param {Results} results
 */
export const methodText = ({ environment, settings }) => {
  const { rounds, peerRounds, seconds, warmUp, fetchRounds, fetches } = settings
  const cores = environment.pinned ? '; the server is pinned to one core, the load generator to the other' : ''
  return [
    `- **The baseline** is a bare \`node:http\` server that sends two constant responses with the same bytes as plant-mock.`,
    `- **Requests**: 32 connections${cores}. After a warm-up of ${warmUp} s the servers take turns for ${rounds} rounds of ${seconds} s (peers: ${peerRounds}); the order reverses each round. A server with fewer than 100 responses in its warm-up has no more rounds; one with none gets a single load of 10 s. All other servers are stopped (SIGSTOP) meanwhile. A figure is the median of the rounds, a ratio the median of the ratios of each round. Each create has a unique id, so the store grows during the measurement. A failed request of the baseline or plant-mock aborts the benchmark; for peers, failed requests and timeouts are counted.`,
    '- **By core** is the same ratio by CPU time of the server (all threads) for each response, which other processes on the machine hardly change.',
    '- **Flatness** compares plant-mock with many plants to plant-mock with few, in the same rounds.',
    '- **Cold start** is the time from the start of the process to the end of its first response; peers start with 24 plants, as plant-mock does.',
    '- **Memory** is the resident set size after a load of lists over 1,000 plants; for large stores, after the first response.',
    '- **Install** is the disk usage of one package in an empty project, as `du` counts it.',
    `- **In a test**: \`setupServer(...plantHandlers(mock))\`, compared with a static msw handler that returns the same body and headers (and reads the body of a create); separate processes take turns for ${fetchRounds} rounds of ${fetches.toLocaleString('en')} requests, with 1,000 plants.`,
    '- **Import** is the median time in a new process minus that of an empty module; it includes the peer dependency (msw, vitest, Playwright) of the entry point.',
  ].join('\n')
}

/**
 * Describes how each peer was started, and how it deviates from the contract.
 * @param {Results} results
 */
export const peersText = ({ peers, environment }) =>
  peers.length === 0
    ? ''
    : `All run on Node ${environment.node}, whatever version they require.\n\n${peers.map(peerText).join('\n')}`

/** @param {PeerFacts} peer */
const peerText = ({ name, packages, command, differs, node }) => {
  const shown = command.includes('`') ? command : `\`${command}\``
  return `- **${name}** (${packages.join(', ')}${node === undefined ? '' : `; requires Node ${node}`}): ${shown}. It ${differs}.`
}
