import { band, percent } from './noise.js'

/** @import { Results } from './report.js' */

/**
 * Describes the versions and the machine of a run.
 * @param {Results} results
 */
export const environmentText = ({ date, environment }) => {
  const { version, node, msw, processor, cores, memory, platform, tool } = environment
  return `plant-mock ${version} on ${date}, Node ${node}, msw ${msw}; ${processor}, ${cores} cores, ${memory} GiB, ${platform}; load from ${tool}.`
}

/**
 * Describes how each figure was measured.
 * @param {Results} results
 */
export const methodOf = ({ environment, settings }) => {
  const { rounds, peerRounds, seconds, peerSeconds, warmUp, fetchPairs, fetches, fetchTurns, fetchWarmUp } = settings
  const cores = environment.pinned ? '; the server is pinned to one core, the load generator to the other' : ''
  return {
    figure: 'value, ratio and coreRatio are medians of the rounds; each range is the lowest and the highest round.',
    baseline: 'A bare node:http server that sends two constant responses with the same bytes as plant-mock.',
    noise: `A fixed loop runs on both cores before, during and after each round. A round is noisy if the loop takes ${percent(band)} longer than the best one of the run or than its own CPU time, or if the rates of the baseline before and after differ by ${percent(band)}. Noisy rounds are repeated; with more than a tenth of noisy rounds in a group, no results are written.`,
    requests: `32 connections${cores}. In each of ${rounds} rounds the baseline and the server start new and warm up for ${warmUp} s; then the baseline, the server and the baseline again are loaded for ${seconds} s each (peers: ${peerRounds} rounds of ${peerSeconds} s). The ratio of a round is that of the server to the mean of the two baselines. The servers take turns; the order reverses each round. A server with fewer than 100 responses in its warm-up has no more loads; one with none gets a single load of 10 s. Each create has a unique id, so the store grows during a round. A failed request of the baseline or plant-mock aborts the benchmark; for peers, failed requests and timeouts are counted.`,
    coreRatio: 'The same ratio by CPU time of the server (all threads) for each response.',
    flatness: 'The ratio of plant-mock with many plants to that with few, by round.',
    start:
      'The time from the start of the process to the end of its first response, in pairs with the baseline under the same Node.js, after a first start that fills the compile cache. Peers start with 24 plants, as plant-mock does.',
    memory:
      'Resident set size after a load of lists over 1,000 plants; for large stores, after the first response; for sessions, after one list and one create in each.',
    large:
      'Each round runs plant-mock and a process that reads the same file and parses its plants, without keeping them. With access, each plant has a list of one or two callers.',
    install: 'Disk usage of one package in an empty project, as du counts it.',
    inprocess: `User time of setupServer(...plantHandlers(mock)), compared with a static msw handler that returns the same body and headers (and reads the body of a create); ${fetchPairs} pairs of new processes, each with ${fetchTurns} turns of ${fetches.toLocaleString('en')} requests after ${fetchWarmUp.toLocaleString('en')} to warm up, with 1,000 plants.`,
    calls: 'Measured in batches after a warm-up, beside the fixed loop in the same process.',
    import:
      'The time in a new process minus that of an empty module; it includes the peer dependency (msw, vitest, Playwright) of the entry point.',
    peers: `All run on Node ${environment.node}, whatever version they require.`,
  }
}
