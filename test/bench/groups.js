import { callTimes } from './calls.js'
import { footprint } from './footprint.js'
import { importTimes } from './imports.js'
import { evidence, inProcess } from './inprocess.js'
import { largeStart } from './large.js'
import { memoryAfterLoad } from './memory.js'
import { sessionMemory } from './sessions.js'
import { coldStart } from './start.js'
import { store } from './store.js'
import { peerRates, requestLog, throughput } from './throughput.js'

/** @import { Round } from './gate.js' */
/** @import { Installation } from './install.js' */
/** @import { Tool } from './load.js' */
/** @import { PeerFacts, Row } from './report.js' */
/** @import { Settings } from './settings.js' */
/** @import { Target } from './targets.js' */
/** @import { Workspace } from './workspace.js' */

/**
 * @typedef {object} Context
 * @property {Workspace} workspace
 * @property {Tool} tool
 * @property {Settings} settings
 * @property {string | undefined} packages The folder for installed packages; undefined to install none.
 * @property {() => Promise<Target>} baseline
 * @property {() => Promise<readonly Peer[]>} peers None without peers.
 * @property {Round} round
 */

/** @typedef {{ target: Target, facts: PeerFacts, installation?: Installation }} Peer */

/**
 * A group of measurements, which has its own noise check and can be measured alone.
 * @typedef {object} Group
 * @property {number} minutes About how long it takes on a quiet machine.
 * @property {boolean} [ofPeers] Whether it measures peers only.
 * @property {(context: Context) => AsyncGenerator<Row>} measure
 */

/** @type {Readonly<Record<string, Group>>} */
export const groups = {
  requests: { minutes: 11, measure: throughput },
  log: { minutes: 4, measure: requestLog },
  peers: { minutes: 9, ofPeers: true, measure: peerRates },
  memory: { minutes: 1, measure: memoryAfterLoad },
  start: { minutes: 2, measure: coldStart },
  large: { minutes: 2, measure: largeStart },
  sessions: { minutes: 1, measure: sessionMemory },
  install: { minutes: 1, ofPeers: true, measure: footprint },
  inprocess: { minutes: 3, measure: inProcess },
  evidence: { minutes: 2, measure: evidence },
  store: { minutes: 4, measure: store },
  calls: { minutes: 1, measure: callTimes },
  import: { minutes: 1, measure: importTimes },
}

export const groupNames = Object.keys(groups)
