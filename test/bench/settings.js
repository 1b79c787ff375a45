/** Durations are in seconds; `rounds` and names ending with it are numbers of rounds. */
export const thorough = {
  ...{ rounds: 5, seconds: 5, warmUp: 2 },
  ...{ peerRounds: 2, peerSeconds: 2 },
  ...{ coldStarts: 21, peerStarts: 5, largeStarts: 5, sessionRounds: 3, imports: 11 },
  /** The number of plants of the largest store. */
  million: 1_000_000,
  ...{ fetchPairs: 5, fetchWarmUp: 8_000, fetchTurns: 24, fetches: 1_000 },
  ...{ testTurns: 12, tests: 500 },
  ...{ callRounds: 5, callBatches: 40 },
}

/** @typedef {typeof thorough} Settings */

/**
 * For a smoke test, whose figures mean little.
 * @type {Settings}
 */
export const quick = {
  ...{ rounds: 1, seconds: 1, warmUp: 1 },
  ...{ peerRounds: 1, peerSeconds: 1 },
  ...{ coldStarts: 3, peerStarts: 1, largeStarts: 1, sessionRounds: 1, imports: 3 },
  million: 10_000,
  ...{ fetchPairs: 1, fetchWarmUp: 2_000, fetchTurns: 2, fetches: 500 },
  ...{ testTurns: 2, tests: 100 },
  ...{ callRounds: 1, callBatches: 3 },
}
