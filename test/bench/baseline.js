/**
 * A bare node:http server with two constant responses.
 * Usage: node baseline.js PORT BODY_OF_GET BODY_OF_POST
 */
import { createServer } from 'node:http'

const [, , port, list = '[]', plant = '{}'] = process.argv

/** @param {string} body */
const headersFor = (body) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(body)),
})
const listHeaders = headersFor(list)
const plantHeaders = headersFor(plant)

createServer((req, res) => {
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
}).listen(Number(port), '127.0.0.1')
