/**
 * The load of the soak, in a process of its own. Usage: node load.js URL SECONDS; it prints a line of JSON each second:
 * how many answers there were, and which were wrong.
 */
import { sendIntruders } from './intruders.js'
import { openLine } from './line.js'
import { anyRequest, controlCalls, created, resets } from './requests.js'

/** @import { Request } from './line.js' */

const url = new URL(process.argv[2] ?? '')
const seconds = Number(process.argv[3])

const lines = 12
/** Requests under way on each line. */
const depth = 8
/** So many creates go between two resets: what the store holds is then the same each time. */
const mostPlants = 2_000

let answers = 0
let wrong = 0
let isOver = false
/** @type {string[]} */
let reasons = []

/** @param {string} reason */
const onWrong = (reason) => {
  wrong++
  if (reasons.length < 5) reasons.push(reason)
}

let resetAt = mostPlants
/** @type {Request[]} */
let due = []
const next = () => {
  if (created() >= resetAt) {
    resetAt = created() + mostPlants
    due = [...resets]
  }
  return due.pop() ?? anyRequest()
}

const working = Array.from({ length: lines }, () => {
  const line = openLine(url, onWrong)
  const ask = () => {
    if (isOver) return
    line.ask(next(), () => {
      answers++
      ask()
    })
  }
  for (let i = 0; i < depth; i++) ask()
  return line
})

const controlling = openLine(url, onWrong)
/** @param {number} turn */
const control = (turn) => {
  const call = controlCalls[turn % controlCalls.length]
  if (isOver || call === undefined) return
  controlling.ask(call, () => {
    answers++
    setTimeout(control, 25, turn + 1)
  })
}
control(0)

const intruders = sendIntruders(url, onWrong)

const report = () => {
  console.log(JSON.stringify({ answers, wrong, reasons }))
  reasons = []
}
const reporting = setInterval(report, 1_000)
setTimeout(() => {
  isOver = true
  clearInterval(reporting)
  intruders.close()
  for (const line of [...working, controlling]) line.close()
  report()
  // Connections that were reset while they were being ended are never given back by Node.js 20 on this side.
  process.stdout.write('', () => process.exit())
}, seconds * 1_000)
