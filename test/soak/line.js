import { connect } from 'node:net'

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} body
 */

/**
 * A request as text, and what is wrong with an answer to it; `undefined` when it is right.
 * @typedef {object} Request
 * @property {string} text
 * @property {(answer: Answer) => string | undefined} judge
 */

/**
 * A connection that stays: requests go out one after the other without waiting, answers come in the same order. It is
 * much cheaper than a client of node:http, so that the server is what is busy.
 * @param {URL} url
 * @param {(reason: string) => void} onWrong
 */
export const openLine = (url, onWrong) => {
  const socket = connect(Number(url.port), url.hostname)
  /** @type {{ judge: Request['judge'], done: () => void }[]} */
  const waiting = []
  let text = ''

  const read = () => {
    for (;;) {
      const answer = firstAnswer(text)
      const asked = waiting[0]
      if (answer === undefined || asked === undefined) return
      text = text.slice(answer.end)
      waiting.shift()
      const reason = asked.judge(answer)
      if (reason !== undefined) onWrong(`${reason}: ${answer.status} ${answer.body.slice(0, 200)}`)
      asked.done()
    }
  }
  socket.setNoDelay(true)
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
    read()
  })
  let isClosed = false
  socket.on('error', () => undefined)
  socket.on('close', () => {
    if (!isClosed) onWrong(`a connection ended with ${waiting.length} answers due: ${text.slice(0, 200)}`)
  })
  return {
    /**
     * @param {Request} request
     * @param {() => void} done
     */
    ask({ text, judge }, done) {
      waiting.push({ judge, done })
      socket.write(text, 'latin1')
    },
    close() {
      isClosed = true
      socket.destroy()
    },
  }
}

/**
 * @param {string} text
 * @returns {Answer & { end: number } | undefined}
 */
const firstAnswer = (text) => {
  const start = text.indexOf('\r\n\r\n') + 4
  if (start === 3) return undefined
  const head = text.slice(0, start)
  const length = Number(/\r\nContent-Length: (\d+)\r\n/i.exec(head)?.[1] ?? 0)
  if (text.length < start + length) return undefined
  return { status: Number(head.slice(9, 12)), body: text.slice(start, start + length), end: start + length }
}
