import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PlantMockError } from '../util/errors.ts'
import type { Respond } from './handlers-first.ts'

type Msw = {
  readonly getResponse: (handlers: readonly object[], request: Request) => Promise<Response | undefined>
}

/** What a module has to offer; CommonJS ones may have it in their default. */
type Module = { readonly handlers?: unknown; readonly default?: { readonly handlers?: unknown } }

/**
 * Loads a module that exports msw handlers as `handlers`, and gives what answers with them. Loaded again, the module
 * itself is read anew; what it imports is not.
 * @throws PlantMockError with file, line and reason when the module cannot be used.
 */
export const loadHandlers = async (file: string): Promise<Respond> => {
  const path = resolve(file)
  const module = await importAnew(path, file)
  const handlers = module.handlers ?? module.default?.handlers
  if (!isHandlers(handlers))
    throw new PlantMockError(
      `The module ${file} must export handlers, an array of msw handlers: export const handlers = [http.get(…)].`,
    )
  const { getResponse } = await findMsw(path)
  return (request) => getResponse(handlers, request)
}

const importAnew = async (path: string, file: string): Promise<Module> => {
  const url = pathToFileURL(path)
  url.searchParams.set('loaded', String(performance.now()))
  try {
    return (await import(url.href)) as Module
  } catch (error) {
    const { code, message = String(error) } = Object(error) as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${path}'`))
      throw new PlantMockError(`The module ${file} does not exist.`)
    if (code === 'ERR_UNSUPPORTED_DIR_IMPORT') throw new PlantMockError(`The module ${file} is a folder.`)
    const place = error instanceof SyntaxError ? await syntaxErrorIn(path) : placeIn(error)
    throw new PlantMockError(`The module ${place ?? file} cannot be loaded: ${message}.`)
  }
}

/** Where an error arose, as `/path/handlers.js:7`: a stack begins with it or leads to it. */
const placeIn = (error: unknown): string | undefined => {
  const { stack = '' } = Object(error) as Error
  const [, url, line] = /(file:\/\/[^\s?:)]+(?:\?[^\s:)]*)?):(\d+)/.exec(stack) ?? []
  return url === undefined ? undefined : `${fileURLToPath(url.replace(/\?.*$/, ''))}:${line}`
}

/** A SyntaxError does not say where it is; Node.js does when it is asked to look at the file. */
const syntaxErrorIn = (path: string): Promise<string | undefined> =>
  new Promise((done) => {
    execFile(process.execPath, ['--check', path], (_error, _out, text) => {
      const [, place, line] = /^(?:file:\/\/)?(.+):(\d+)$/m.exec(text) ?? []
      done(place === undefined ? undefined : `${decodeURI(place)}:${line}`)
    })
  })

const isHandlers = (value: unknown): value is readonly object[] =>
  Array.isArray(value) &&
  value.every((handler) => typeof handler === 'object' && handler !== null && 'run' in handler)

/** The msw of the module: it and its handlers are of one version. */
const findMsw = async (path: string): Promise<Msw> => {
  for (const find of [() => pathToFileURL(createRequire(path).resolve('msw')).href, () => 'msw'])
    try {
      const module = (await import(find())) as Msw & { default?: Msw }
      return module.getResponse === undefined && module.default ? module.default : module
    } catch {
      // The next place.
    }
  throw new PlantMockError('--handlers needs msw: npm install --save-dev msw')
}
