import { extname, resolve } from 'node:path'
import { styleText } from 'node:util'
import type { Logger, Plugin, PreviewServer, ViteDevServer } from 'vite'
import { type Fixtures, findFixtureFile, namesIn, plantsIn } from '../fixtures/load.ts'
import { debounce } from '../fixtures/watch.ts'
import { createPlantMock, type LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { contractPaths } from '../operations/operations.ts'

const [plantsPath = ''] = contractPaths

import { type MiddlewareOptions, plantMiddleware } from '../server/middleware.ts'

export type PlantMockPluginOptions = Omit<PlantMockOptions, 'fixtures'> &
  MiddlewareOptions & {
    /** The path below which the mock answers. Default: `/api`, so that the plants are at `/api/plants`. */
    readonly prefix?: string
    /**
     * Plants, or names of shipped fixtures and paths of fixture files, relative to Vite's root. The dev server loads
     * files anew when they change. Default: `['garden']`.
     */
    readonly fixtures?: Fixtures
    /** A mock to serve; the options that make one then do not apply. */
    readonly mock?: LocalPlantMock
  }

/**
 * A plugin that serves the mock in Vite's dev and preview servers (Vite 5 or later): no second process, no CORS.
 * What is not the mock's goes on to Vite, a `server.proxy` of the same prefix included.
 * @throws PlantMockError from the hooks, for a fixture, token, fault or assumption that cannot be used.
 * @example
 * export default defineConfig({ plugins: [plantMock()] })
 */
export const plantMock = (options: PlantMockPluginOptions = {}): Plugin => ({
  name: 'plant-mock',
  apply: 'serve',
  async configureServer(server) {
    const fixtures = inRoot(options.fixtures ?? ['garden'], server.config.root)
    const mock = await serve(server, fixtures, options)
    if (options.mock === undefined) await watchFixtures(server, fixtures, mock)
  },
  async configurePreviewServer(server) {
    await serve(server, inRoot(options.fixtures ?? ['garden'], server.config.root), options)
  },
})

/** Names of shipped fixtures have no ending, files have one. */
const inRoot = (fixtures: Fixtures, root: string): Fixtures => {
  const names = namesIn(fixtures)
  return names.length === 0
    ? fixtures
    : names.map((name) => (extname(name) === '' ? name : resolve(root, name)))
}

/** Puts the mock before what Vite answers, and its address below Vite's own. */
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
      logger.info(addressLine(new URL(mount.replace(/\/$/, '') + plantsPath, origin).href))
  }
  return mock
}

/** As Vite prints its own addresses. */
const addressLine = (url: string): string => {
  const plain = !process.stdout.isTTY || process.env.NO_COLOR
  const paint = (format: 'green' | 'bold' | 'cyan', text: string) => (plain ? text : styleText(format, text))
  return `  ${paint('green', '➜')}  ${paint('bold', 'Plants')}:  ${paint('cyan', url)}`
}

/** Loads fixture files anew when they change, and lets open pages show it. */
const watchFixtures = async (
  { watcher, ws, config: { logger } }: ViteDevServer,
  fixtures: Fixtures,
  mock: LocalPlantMock,
): Promise<void> => {
  const files = new Set(await Promise.all(namesIn(fixtures).map(findFixtureFile)))
  if (files.size === 0) return
  const { schedule } = debounce(async () => {
    if (await loadAnew(fixtures, mock, logger)) ws.send({ type: 'full-reload' })
  })
  watcher.add([...files])
  for (const event of ['add', 'change'] as const)
    watcher.on(event, (path) => {
      if (files.has(resolve(path))) schedule()
    })
}

const loadAnew = async (fixtures: Fixtures, mock: LocalPlantMock, logger: Logger): Promise<boolean> => {
  try {
    const plants = await plantsIn(fixtures)
    await mock.load(plants)
    logger.info(`plant-mock: Loaded anew: ${count(plants.length)} from ${namesIn(fixtures).join(' and ')}.`, {
      timestamp: true,
    })
    return true
  } catch (reason) {
    const { message } = reason as Error
    logger.error(`plant-mock: The change was not loaded, the plants are as before. ${message}`, {
      timestamp: true,
    })
    return false
  }
}

const count = (plants: number): string => `${plants} ${plants === 1 ? 'plant' : 'plants'}`
