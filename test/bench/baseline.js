/**
 * A bare node:http server with two constant responses.
 * Usage: node baseline.js BODY_OF_GET BODY_OF_POST; prints its URL when it listens.
 */
import { createServer } from 'node:http'

const [, , list = '[]', plant = '{}'] = process.argv

/** @param {string} body */
const headersFor = (body) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(body)),
})
const listHeaders = headersFor(list)
const plantHeaders = headersFor(plant)

const server = createServer((req, res) => {
  if (req.method === 'GET') {
    res.writeHead(200, listHeaders)
    res.end(list)
    return
  }
  req.resume()
  req.on('end', () => {
    res.writeHead(201, plantHeaders)
    res.end(plant)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`)
})
