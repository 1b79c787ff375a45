import { extname, resolve } from 'node:path'
import type { Logger, Plugin, PreviewServer, ViteDevServer } from 'vite'
import { type Fixtures, findFixtureFile, namesIn, plantsIn } from '../fixtures/load.ts'
import { debounce } from '../fixtures/watch.ts'
import { createPlantMock, type LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { contractPaths } from '../operations/operations.ts'

import { type MiddlewareOptions, plantMiddleware } from '../server/middleware.ts'
import { painter, usesColour } from '../util/terminal.ts'
import { messageOf, plural } from '../util/words.ts'

export type PlantMockPluginOptions = Omit<PlantMockOptions, 'fixtures'> &
  MiddlewareOptions & {
    /** The path below which the mock is served. Default: `/api`, so that the plants are at `/api/plants`. */
    readonly prefix?: string
    /**
     * Plants, or names of shipped fixtures and paths of fixture files, relative to Vite's root. The dev server reloads
     * a file when it changes. Default: `['garden']`.
     */
    readonly fixtures?: Fixtures
    /** An existing mock to serve. The options that configure a mock then have no effect. Default: a new mock. */
    readonly mock?: LocalPlantMock
  }

/**
 * A plugin that serves the mock in Vite's dev and preview servers (Vite 5 or later): no second process, no CORS.
 * All other requests go to Vite, also to a `server.proxy` with the same prefix.
 * @throws PlantMockError from its hooks, for a fixture, token, fault or assumption that is unusable.
 * @example
 * export default defineConfig({ plugins: [plantMock()] })
 */
export const plantMock = (options: PlantMockPluginOptions = {}): Plugin => ({
  name: 'plant-mock',
  apply: 'serve',
  async configureServer(server) {
    const fixtures = resolveFixtures(options.fixtures ?? ['garden'], server.config.root)
    const mock = await serve(server, fixtures, options)
    if (options.mock === undefined) await watchFixtures(server, fixtures, mock)
  },
  async configurePreviewServer(server) {
    await serve(server, resolveFixtures(options.fixtures ?? ['garden'], server.config.root), options)
  },
})

/** Resolves the paths of files: these have an extension, names of shipped fixtures have none. */
const resolveFixtures = (fixtures: Fixtures, root: string): Fixtures => {
  const names = namesIn(fixtures)
  return names.length === 0 ? fixtures : names.map((name) => (extname(name) === '' ? name : resolve(root, name)))
}

/** Adds the mock in front of Vite's own middleware, and prints its address below those of Vite. */
const serve = async (
  server: ViteDevServer | PreviewServer,
  fixtures: Fixtures,
  { prefix = '/api', controlKey, ...options }: PlantMockPluginOptions,
): Promise<LocalPlantMock> => {
  const { logger } = server.config
  const mock =
    options.mock ??
    createPlantMock({
      onNotice: (text) => logger.info(`plant-mock: ${text}`, { timestamp: true }),
      ...options,
      fixtures: await plantsIn(fixtures),
    })
  const mount = `/${prefix.replaceAll(/^\/+|\/+$/g, '')}`
  server.middlewares.use(mount, plantMiddleware(mock, controlKey === undefined ? {} : { controlKey }))

  const printUrls = server.printUrls.bind(server)
  server.printUrls = () => {
    printUrls()
    const { local = [], network = [] } = server.resolvedUrls ?? {}
    const [origin] = [...local, ...network]
    if (origin !== undefined)
      logger.info(addressLine(new URL(mount.replace(/\/$/, '') + contractPaths[0], origin).href))
  }
  return mock
}

/** In the style of Vite's own addresses. */
const addressLine = (url: string): string => {
  const paint = painter(usesColour(process.stdout.isTTY, process.env))
  return `  ${paint('green', '➜')}  ${paint('bold', 'Plants')}:  ${paint('cyan', url)}`
}

/** Reloads fixture files when they change, and then the open pages. */
const watchFixtures = async (
  { watcher, ws, config: { logger } }: ViteDevServer,
  fixtures: Fixtures,
  mock: LocalPlantMock,
): Promise<void> => {
  const files = new Set(await Promise.all(namesIn(fixtures).map(findFixtureFile)))
  if (files.size === 0) return
  const { schedule } = debounce(async () => {
    if (await reload(fixtures, mock, logger)) ws.send({ type: 'full-reload' })
  })
  watcher.add([...files])
  for (const event of ['add', 'change'] as const)
    watcher.on(event, (path) => {
      if (files.has(resolve(path))) schedule()
    })
}

/** @returns Whether the fixtures are valid; if not, the mock keeps its plants. */
const reload = async (fixtures: Fixtures, mock: LocalPlantMock, logger: Logger): Promise<boolean> => {
  const options = { timestamp: true }
  try {
    const plants = await plantsIn(fixtures)
    await mock.load(plants)
    const files = namesIn(fixtures).join(' and ')
    logger.info(`plant-mock: Reloaded ${plural(plants.length, 'plant')} from ${files}.`, options)
    return true
  } catch (error) {
    logger.error(`plant-mock: Reload failed; keeping the previous plants: ${messageOf(error)}`, options)
    return false
  }
}
