import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PlantMockError } from '../../util/errors.ts'
import type { Respond } from './handlers-listener.ts'

type Msw = { readonly getResponse: (handlers: readonly object[], request: Request) => ReturnType<Respond> }

type HandlersModule = { readonly handlers?: unknown; readonly default?: { readonly handlers?: unknown } }

export type Handlers = Awaited<ReturnType<typeof openHandlers>>

export const openHandlers = async (file: string) => {
  const path = resolve(file)
  let respond: Respond
  const reload = async (): Promise<void> => {
    const module = await importUncached(path, file)
    const handlers = module.handlers ?? module.default?.handlers
    if (!isHandlers(handlers))
      throw new PlantMockError(
        `The module ${file} must export handlers, an array of msw handlers: export const handlers = [http.get(…)].`,
      )
    const { getResponse } = await importMsw(path)
    respond = (request) => getResponse(handlers, request)
  }
  await reload()
  return { file: path, respond: (request: Request) => respond(request), reload }
}

const importUncached = async (path: string, file: string): Promise<HandlersModule> => {
  // Resolves symbolic links, because Node.js caches a module under its real path.
  const url = pathToFileURL(await realpath(path).catch(() => path))
  url.searchParams.set('loaded', String(performance.now()))
  try {
    return (await import(url.href)) as HandlersModule
  } catch (error) {
    const { code, message = String(error) } = Object(error) as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${path}'`))
      throw new PlantMockError(`The module ${file} does not exist.`)
    if (code === 'ERR_UNSUPPORTED_DIR_IMPORT') throw new PlantMockError(`The module ${file} is a folder.`)
    const location = error instanceof SyntaxError ? await locateSyntaxError(path) : locate(error)
    const isCommonJs =
      error instanceof SyntaxError && /import statement|'export'/.test(message) && !/\.m[jt]s$/.test(file)
    const advice = isCommonJs ? ` This project is CommonJS: rename the file to ${file.replace(/\.\w+$/, '')}.mjs.` : ''
    throw new PlantMockError(`The module ${location ?? file} cannot be loaded: ${message}.${advice}`)
  }
}

const locate = (error: unknown): string | undefined => {
  const { stack = '' } = Object(error) as Error
  const [, url, line] = /(file:\/\/[^\s?:)]+(?:\?[^\s:)]*)?):(\d+)/.exec(stack) ?? []
  return url === undefined ? undefined : `${fileURLToPath(url.replace(/\?.*$/, ''))}:${line}`
}

/** Runs `node --check` to find the position of a SyntaxError, which the stack of an imported module lacks. */
const locateSyntaxError = (path: string): Promise<string | undefined> =>
  new Promise((resolvePosition) => {
    execFile(process.execPath, ['--check', path], (_error, _stdout, stderr) => {
      const [, checked, line] = /^(?:file:\/\/)?(.+):(\d+)$/m.exec(stderr) ?? []
      resolvePosition(checked === undefined ? undefined : `${decodeURI(checked)}:${line}`)
    })
  })

const isHandlers = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every((handler) => typeof handler === 'object' && handler !== null && 'run' in handler)

/** Prefers the msw that the handlers import, because handlers work only with `getResponse` of the same version. */
const importMsw = async (path: string): Promise<Msw> => {
  for (const resolveMsw of [() => pathToFileURL(createRequire(path).resolve('msw')).href, () => 'msw'])
    try {
      const module = (await import(resolveMsw())) as Msw & { default?: Msw }
      return module.getResponse === undefined && module.default ? module.default : module
    } catch {
      // The loop tries the next location of msw.
    }
  throw new PlantMockError('--handlers needs msw. Install it: npm install --save-dev msw')
}
