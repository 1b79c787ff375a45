/** Generates the load where wrk is missing. Usage: node autocannon.js JSON; prints one line of JSON. */
// @ts-expect-error: the package has no types.
import autocannon from 'autocannon'
import { plantText } from './load.js'

const { method, url, seconds, firstId, connections, headers } = JSON.parse(process.argv[2] ?? '{}')

let id = firstId
const list = { method }
const create = {
  method,
  headers: { ...headers, 'content-type': 'application/json' },
  /** @param {object} request */
  setupRequest: (request) => ({ ...request, body: plantText(id++) }),
}

const { requests, duration, errors, non2xx } = await autocannon({
  url,
  connections,
  duration: seconds,
  headers,
  requests: [method === 'POST' ? create : list],
})
console.log(JSON.stringify({ perSecond: (requests.total - non2xx) / duration, failed: errors + non2xx }))
