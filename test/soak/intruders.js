import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { oneOf, requestText } from './requests.js'

/** @import { Socket } from 'node:net' */

const caller = ['Authorization: Bearer alice', 'Plant-Mock-Session: intruded']

/** What is said on a connection that goes wrong; what it leads to is up to the server, but it is no 5xx. */
const sayings = /** @type {readonly (() => string | Buffer)[]} */ ([
  () => '',
  () => randomBytes(200),
  () => 'NOISE\r\n\r\n',
  () => 'GET /plants HTTP/1.1\r\nHost: x\r\n',
  () => `GET /plants HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`,
  () => requestText('GET /plants', caller).repeat(20),
  () => `${requestText('GET /plants', caller)}NOISE\r\n\r\n`,
  () => requestText('GET /__plant-mock/events'),
  () => `${requestText('POST /plants', [...caller, 'Content-Length: 1000'])}{"id":`,
  () => `${requestText('POST /plants', [...caller, 'Transfer-Encoding: chunked'])}zz\r\n`,
  () => `${requestText('OPTIONS /plants', ['Origin: http://a', 'Transfer-Encoding: chunked'])}zz\r\n`,
  () => requestText('POST /plants', [...caller, 'Content-Length: 0', 'Content-Length: 5']),
  () => requestText('GET /plants', ['Connection: Upgrade', 'Upgrade: websocket']),
  () => requestText('CONNECT evil.example:80'),
])

const endings = /** @type {readonly ((socket: Socket) => void)[]} */ ([
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
])

/** How many connections are held that say little, and nothing more. */
const mostHeld = 60

/**
 * Comes again and again, says something, and leaves in one way or another, or stays for a while.
 * @param {URL} url
 * @param {(reason: string) => void} onWrong
 */
export const sendIntruders = (url, onWrong) => {
  /** @type {Socket[]} */
  const held = []
  let isOver = false

  const come = () => {
    const socket = connect(Number(url.port), url.hostname)
    let text = ''
    socket.on('error', () => undefined)
    socket.setEncoding('latin1').on('data', (chunk) => {
      text = `${text}${chunk}`.slice(0, 100_000)
    })
    socket.on('close', () => {
      if (/HTTP\/1\.1 5\d\d /.test(text)) onWrong(`an intruder was answered ${text.slice(0, 200)}`)
    })
    socket.write(oneOf(sayings)())
    socket.once('connect', () => {
      if (isOver) socket.destroy()
      held.push(socket)
      if (held.length > mostHeld) {
        const leaving = held.splice(Math.floor(Math.random() * held.length), 1)
        for (const socket of leaving) oneOf(endings)(socket)
      }
    })
  }
  const coming = setInterval(come, 10)
  return {
    close() {
      isOver = true
      clearInterval(coming)
      for (const socket of held) socket.destroy()
    },
  }
}
