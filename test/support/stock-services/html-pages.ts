import type { RequestListener } from 'node:http'
import express, { type Request, type RequestHandler } from 'express'

type Plant = { readonly owner: string; readonly id: unknown; readonly name: string; readonly tag: string }

const refuse = (status: number, message: string): Error => Object.assign(new Error(message), { status })

/**
 * Express without an error handler, so that failures are the HTML pages of `finalhandler`; ids are not checked, a limit
 * that is no number is ignored, every body is read as JSON, and a bad token is 403.
 */
export const htmlService = (tokens: readonly string[]): RequestListener => {
  const plants: Plant[] = []
  const app = express()
  const tokenOf = (req: Request): string => req.get('authorization')?.split(' ')[1] ?? ''

  const requireToken: RequestHandler = (req, _res, next) => {
    next(tokens.includes(tokenOf(req)) ? undefined : refuse(403, 'Access denied'))
  }

  app.get('/plants', requireToken, (req, res) => {
    const own = plants.filter(({ owner }) => owner === tokenOf(req))
    const limit = Number.parseInt(String(req.query.limit), 10)
    const listed = limit >= 0 ? own.slice(0, limit) : own
    res.send(listed.map(({ name, tag }) => ({ name, tag })))
  })

  app.post('/plants', requireToken, express.json({ type: () => true }), (req, res) => {
    const { id, name, tag } = req.body ?? {}
    if (typeof name !== 'string' || typeof tag !== 'string') throw refuse(400, 'name and tag must be strings')
    if (id !== undefined && !Number.isInteger(id)) throw refuse(400, 'id must be an integer')
    plants.push({ owner: tokenOf(req), id, name, tag })
    res.send({ name, tag })
  })

  return app
}
