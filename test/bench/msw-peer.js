/**
 * The plant store by hand, in msw's handlers behind its middleware. Usage: node msw-peer.js FOLDER PLANTS PORT:
 * the packages come from the project in FOLDER, the plants from a JSON array.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , folder = '', file = '', port] = process.argv
const load = createRequire(join(folder, 'package.json'))
const { createServer } = load('@mswjs/http-middleware')
const { HttpResponse, http } = load('msw')

/** @typedef {{ name: string, tag: string }} Plant */

/** @type {Plant[]} */
const plants = JSON.parse(readFileSync(file, 'utf8'))

/** @param {Request} request */
const isCaller = (request) => request.headers.get('authorization')?.startsWith('Bearer ')
const refused = () => HttpResponse.json({ message: 'A token is needed' }, { status: 401 })
/** @param {Plant} plant */
const shown = ({ name, tag }) => ({ name, tag })

/** @typedef {{ request: Request }} Asked */

createServer(
  http.get('/plants', (/** @type {Asked} */ { request }) => {
    if (!isCaller(request)) return refused()
    const limit = new URL(request.url).searchParams.get('limit')
    return HttpResponse.json(plants.slice(0, limit === null ? plants.length : Number(limit)).map(shown))
  }),
  http.post('/plants', async (/** @type {Asked} */ { request }) => {
    if (!isCaller(request)) return refused()
    const plant = await request.json()
    plants.push(plant)
    return HttpResponse.json(shown(plant), { status: 201 })
  }),
).listen(Number(port), '127.0.0.1')
