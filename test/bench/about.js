/** @import { PeerFacts, Results } from './report.js' */

/**
 * With what was measured, and on what.
 * @param {Results} results
 */
export const aboutOf = ({ date, environment }) => {
  const { version, node, msw, processor, cores, memory, platform, tool, busy } = environment
  const quiet =
    busy > 0.5
      ? `\n\n**The machine had other work (load ${busy.toFixed(1)} before the run), so these figures are provisional.**`
      : ''
  return `plant-mock ${version} on ${date}, Node ${node}, msw ${msw}; ${processor}, ${cores} cores, ${memory} GiB, ${platform}; load from ${tool}. Made by \`npm run bench -- --write\`.${quiet}`
}

/**
 * How it was measured.
 * @param {Results} results
 */
export const methodOf = ({ environment, settings }) => {
  const { rounds, peerRounds, seconds, warmUp, fetchRounds, fetches } = settings
  const cores = environment.pinned ? ', the server kept to one core and the load to another' : ''
  return [
    `- **The floor** is a bare \`node:http\` server that answers with the bytes of plant-mock by heart.`,
    `- **Requests**: 32 connections${cores}; after ${warmUp} s to warm up, ${rounds} rounds of ${seconds} s in turns (peers: ${peerRounds}), the order turned round each time. A server with fewer than 100 answers while it warmed up has no more rounds, and one with none is given 10 s. Only the server whose turn it is runs. A figure is the median of the rounds, a ratio the median of their ratios. A create has an id of its own, so a store grows as it is measured. The floor and plant-mock may not fail once; of others, failed requests and those that took longer than the tool waits are counted.`,
    '- **By core** is the same ratio of the time that an answer keeps a core busy, all threads of the server together: other work on the machine changes it little.',
    '- **Flatness** compares one plant-mock with many plants to another with few, in the same turns.',
    '- **Cold start** is from the start of the process to the end of its first answer; peers with 24 plants, as many as plant-mock starts with.',
    '- **Memory** is what is resident after a load of lists over 1,000 plants, and for large stores after the first answer.',
    '- **Install** is one package in an empty project, as `du` counts.',
    `- **In a test**: \`setupServer(...plantHandlers(mock))\`, beside a static handler of msw that answers with the same body and headers (and reads the body of a create); a process each, ${fetchRounds} rounds of ${fetches.toLocaleString('en')} requests in turns, 1,000 plants.`,
    '- **Import** is the median time in processes of their own, beyond that of an empty module; peers of plant-mock (msw, vitest, Playwright) are part of the door that needs them.',
  ].join('\n')
}

/**
 * How each peer was served, and what it does otherwise.
 * @param {Results} results
 */
export const peersText = ({ peers, environment }) =>
  peers.length === 0
    ? ''
    : `All run on Node ${environment.node}, whichever they ask for.\n\n${peers.map(peerText).join('\n')}`

/** @param {PeerFacts} peer */
const peerText = ({ name, packages, command, differs, node }) => {
  const shown = command.includes('`') ? command : `\`${command}\``
  return `- **${name}** (${packages.join(', ')}${node === undefined ? '' : `; asks for Node ${node}`}): ${shown}. It ${differs}.`
}
