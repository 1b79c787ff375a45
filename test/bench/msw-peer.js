/**
 * A hand-written plant store: msw handlers behind @mswjs/http-middleware. Usage: node msw-peer.js FOLDER PLANTS PORT.
 * The packages are those of the project in FOLDER; PLANTS is a file with a JSON array.
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
const hasToken = (request) => request.headers.get('authorization')?.startsWith('Bearer ')
const unauthorized = () => HttpResponse.json({ message: 'A token is needed' }, { status: 401 })
/** @param {Plant} plant */
const toResponse = ({ name, tag }) => ({ name, tag })

/** @typedef {{ request: Request }} HandlerArguments */

createServer(
  http.get('/plants', (/** @type {HandlerArguments} */ { request }) => {
    if (!hasToken(request)) return unauthorized()
    const limit = new URL(request.url).searchParams.get('limit')
    return HttpResponse.json(plants.slice(0, limit === null ? plants.length : Number(limit)).map(toResponse))
  }),
  http.post('/plants', async (/** @type {HandlerArguments} */ { request }) => {
    if (!hasToken(request)) return unauthorized()
    const plant = await request.json()
    plants.push(plant)
    return HttpResponse.json(toResponse(plant), { status: 201 })
  }),
).listen(Number(port), '127.0.0.1')
