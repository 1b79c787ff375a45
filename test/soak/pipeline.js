import { connect } from 'node:net'

/**
 * @typedef {object} Response
 * @property {number} status
 * @property {string} body
 */

/**
 * The text of a request, and a check of its response that returns what is wrong; `undefined` when it is correct.
 * @typedef {object} Request
 * @property {string} text
 * @property {(response: Response) => string | undefined} check
 */

/**
 * Opens a keep-alive connection for pipelined requests, with responses in the same order. It needs much less processor time than
 * a client of node:http, so that the server is the bottleneck.
 * @param {URL} url
 * @param {(reason: string) => void} onWrong
 */
export const openPipeline = (url, onWrong) => {
  const socket = connect(Number(url.port), url.hostname)
  /** @type {{ check: Request['check'], done: () => void }[]} */
  const pending = []
  let text = ''

  const read = () => {
    for (;;) {
      const response = firstResponse(text)
      const request = pending[0]
      if (response === undefined || request === undefined) return
      text = text.slice(response.end)
      pending.shift()
      const reason = request.check(response)
      if (reason !== undefined) onWrong(`${reason}: ${response.status} ${response.body.slice(0, 200)}`)
      request.done()
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
    if (!isClosed) onWrong(`a connection closed with ${pending.length} responses missing: ${text.slice(0, 200)}`)
  })
  return {
    /**
     * @param {Request} request
     * @param {() => void} done
     */
    send({ text, check }, done) {
      pending.push({ check, done })
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
 * @returns {Response & { end: number } | undefined}
 */
const firstResponse = (text) => {
  const start = text.indexOf('\r\n\r\n') + 4
  if (start === 3) return undefined
  const head = text.slice(0, start)
  const length = Number(/\r\nContent-Length: (\d+)\r\n/i.exec(head)?.[1] ?? 0)
  if (text.length < start + length) return undefined
  return { status: Number(head.slice(9, 12)), body: text.slice(start, start + length), end: start + length }
}
