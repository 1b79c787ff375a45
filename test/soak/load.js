/**
 * The load of the soak test, a separate process. Prints one line of JSON a second: the number of responses, and which of
 * them were wrong.
 * Usage: node load.js URL SECONDS
 */
import { startFaultyClients } from './faulty-clients.js'
import { openPipeline } from './pipeline.js'
import { controlCalls, createdCount, randomRequest, resets } from './requests.js'

/** @import { Request } from './pipeline.js' */

const url = new URL(process.argv[2] ?? '')
const seconds = Number(process.argv[3])

const pipelineCount = 12
/** Requests in flight on each pipeline. */
const depth = 8
/** How many creates run between two resets, so that the size of the store stays bounded. */
const maxPlants = 2_000

let responses = 0
let wrong = 0
let isOver = false
/** @type {string[]} */
let reasons = []

/** @param {string} reason */
const onWrong = (reason) => {
  wrong++
  if (reasons.length < 5) reasons.push(reason)
}

let nextReset = maxPlants
/** @type {Request[]} */
let pendingResets = []
const nextRequest = () => {
  if (createdCount() >= nextReset) {
    nextReset = createdCount() + maxPlants
    pendingResets = [...resets]
  }
  return pendingResets.pop() ?? randomRequest()
}

const pipelines = Array.from({ length: pipelineCount }, () => {
  const pipeline = openPipeline(url, onWrong)
  const sendNext = () => {
    if (isOver) return
    pipeline.send(nextRequest(), () => {
      responses++
      sendNext()
    })
  }
  for (let i = 0; i < depth; i++) sendNext()
  return pipeline
})

const controlPipeline = openPipeline(url, onWrong)
/** @param {number} turn */
const callControl = (turn) => {
  const call = controlCalls[turn % controlCalls.length]
  if (isOver || call === undefined) return
  controlPipeline.send(call, () => {
    responses++
    setTimeout(callControl, 25, turn + 1)
  })
}
callControl(0)

const faultyClients = startFaultyClients(url, onWrong)

const report = () => {
  console.log(JSON.stringify({ responses, wrong, reasons }))
  reasons = []
}
const reporting = setInterval(report, 1_000)
setTimeout(() => {
  isOver = true
  clearInterval(reporting)
  faultyClients.close()
  for (const pipeline of [...pipelines, controlPipeline]) pipeline.close()
  report()
  // Node.js 20 never closes a socket that was reset while it was ending, so the process has to exit explicitly.
  process.stdout.write('', () => process.exit())
}, seconds * 1_000)
