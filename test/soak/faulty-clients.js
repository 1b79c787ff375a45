import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { randomElement, requestText } from './requests.js'

/** @import { Socket } from 'node:net' */

const caller = ['Authorization: Bearer alice', 'Plant-Mock-Session: faulty']

/** Bytes of faulty clients. The response may be any status except 5xx. */
const faultyBytes = /** @type {readonly (() => string | Buffer)[]} */ ([
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

/** How many connections stay open after they have sent their bytes. */
const maxOpen = 60

/**
 * Opens a connection every 10 ms that sends faulty bytes. Above `maxOpen`, ends, resets or destroys a random one.
 * @param {URL} url
 * @param {(reason: string) => void} onWrong
 */
export const startFaultyClients = (url, onWrong) => {
  /** @type {Socket[]} */
  const open = []
  let isOver = false

  const connectOnce = () => {
    const socket = connect(Number(url.port), url.hostname)
    let text = ''
    socket.on('error', () => undefined)
    socket.setEncoding('latin1').on('data', (chunk) => {
      text = `${text}${chunk}`.slice(0, 100_000)
    })
    socket.on('close', () => {
      if (/HTTP\/1\.1 5\d\d /.test(text)) onWrong(`a faulty client received ${text.slice(0, 200)}`)
    })
    socket.write(randomElement(faultyBytes)())
    socket.once('connect', () => {
      if (isOver) socket.destroy()
      open.push(socket)
      if (open.length > maxOpen) {
        const closing = open.splice(Math.floor(Math.random() * open.length), 1)
        for (const socket of closing) randomElement(endings)(socket)
      }
    })
  }
  const connecting = setInterval(connectOnce, 10)
  return {
    close() {
      isOver = true
      clearInterval(connecting)
      for (const socket of open) socket.destroy()
    },
  }
}
