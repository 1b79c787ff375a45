import { extname, resolve } from 'node:path'
import type { Plugin, PreviewServer, ViteDevServer } from 'vite'
import { controlPath } from '../core/http/control-path.ts'
import { createPlantMock, type LocalPlantMock } from '../core/mock/create-plant-mock.ts'
import {
  checkWithoutMockOptions,
  mockOptionNames,
  otherMockNames,
  type PlantMockOptions,
} from '../core/mock/options.ts'
import { namesIn } from '../core/mock/shipped.ts'
import { firstCommand } from '../server/control/paths.ts'
import { type Fixtures, findFixtureFile, loadPlants, plantsIn } from '../server/files/load-fixtures.ts'
import { type MiddlewareOptions, middlewareOptionNames, plantMiddleware } from '../server/start/middleware.ts'
import { paintFor } from '../server/start/paint.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'
import { messageOf, plural } from '../util/words.ts'
import { printRefusals } from './print-refusals.ts'

export type PlantMockPluginOptions = Omit<PlantMockOptions, 'fixtures'> &
  MiddlewareOptions & {
    /** The path below which the mock is served. Default: `/api`, which puts the plants at `/api/plants`. */
    readonly prefix?: string
    /**
     * Plants, or names of shipped fixtures and paths of fixture files, relative to Vite's root. The dev server reloads
     * changed files. Default: `['garden']`.
     */
    readonly fixtures?: Fixtures
    /** An existing mock to serve. Cannot be combined with options that configure a mock. Default: a new mock. */
    readonly mock?: LocalPlantMock
  }

/**
 * Returns a plugin that serves the mock in Vite's dev and preview servers (Vite 5 or later), without a second process
 * and without CORS. All other requests go to Vite, also to a `server.proxy` with the same prefix.
 * @throws PlantMockError for an unknown or conflicting option. Its hooks throw PlantMockError for an unusable fixture,
 * token, fault or assumption.
 * @example
 * export default defineConfig({ plugins: [plantMock()] })
 */
export const plantMock = (options: PlantMockPluginOptions = {}): Plugin => {
  checkOptions(options, optionNames, 'the plugin plantMock', { ...otherMockNames, key: 'controlKey', base: 'prefix' })
  if (options.mock !== undefined) checkWithoutMockOptions(options)
  return {
    name: 'plant-mock',
    apply: 'serve',
    async configureServer(server) {
      const fixtures = fixturesOf(options, server.config.root)
      const mock = await serve(server, fixtures, options)
      if (options.mock === undefined) await watchFixtures(server, fixtures, mock)
    },
    async configurePreviewServer(server) {
      await serve(server, fixturesOf(options, server.config.root), options)
    },
  }
}

const optionNames: OptionNames<PlantMockPluginOptions> = {
  ...mockOptionNames,
  ...middlewareOptionNames,
  prefix: 'text',
  fixtures: true,
  mock: true,
}

const fixturesOf = ({ fixtures = ['garden'] }: PlantMockPluginOptions, root: string): Fixtures => {
  const names = namesIn(fixtures)
  return names === undefined ? fixtures : names.map((name) => (extname(name) === '' ? name : resolve(root, name)))
}

const withTime = { timestamp: true }

const serve = async (
  server: ViteDevServer | PreviewServer,
  fixtures: Fixtures,
  { prefix = '/api', controlKey, mock: given, ...options }: PlantMockPluginOptions,
): Promise<LocalPlantMock> => {
  const { logger } = server.config
  const onNotice = (text: string) => logger.info(`plant-mock: ${text}`, withTime)
  const mock =
    given ?? createPlantMock({ onNotice, ...options, fixtures: await plantsIn(fixtures, options.onNotice ?? onNotice) })
  const mount = `/${prefix.replaceAll(/^\/+|\/+$/g, '')}`
  server.middlewares.use(mount, plantMiddleware(mock, controlKey === undefined ? {} : { controlKey }))

  const paint = paintFor(process.stdout.isTTY, process.env)
  printRefusals(mock, (text) => logger.info(`plant-mock: ${text}`, withTime), paint)

  const printUrls = server.printUrls.bind(server)
  server.printUrls = () => {
    printUrls()
    const { local = [], network = [] } = server.resolvedUrls ?? {}
    const [origin] = [...local, ...network]
    if (origin === undefined) return
    const base = new URL(mount, origin).href.replace(/\/$/, '')
    const print = (name: string, text: string) =>
      logger.info(`  ${paint('green', '➜')}  ${paint('bold', name)}:  ${paint('cyan', text)}`)
    print('Plants', firstCommand(base, mock.instances.root.inForce))
    // Without a control key, only this machine can open the dashboard.
    if (local.length > 0 || controlKey !== undefined) print('Plants dashboard', `${base}${controlPath}/`)
  }
  return mock
}

/** Milliseconds to wait before a reload, because editors write a file in several steps. */
const debounceDelay = 60

const watchFixtures = async (
  { watcher, ws, config: { logger } }: ViteDevServer,
  fixtures: Fixtures,
  mock: LocalPlantMock,
): Promise<void> => {
  const names = namesIn(fixtures) ?? []
  const files = await Promise.all(names.map(findFixtureFile))
  if (files.length === 0) return
  const reload = async (): Promise<void> => {
    try {
      const plants = await loadPlants(names, () => undefined)
      await mock.replaceFixtures(plants)
      logger.info(`plant-mock: Reloaded ${plural(plants.length, 'plant')} from ${names.join(' and ')}.`, withTime)
      ws.send({ type: 'full-reload' })
    } catch (error) {
      logger.error(`plant-mock: Reload failed; keeping the previous plants: ${messageOf(error)}`, withTime)
    }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  watcher.add(files)
  for (const event of ['add', 'change'] as const)
    watcher.on(event, (path) => {
      if (!files.includes(resolve(path))) return
      clearTimeout(timer)
      timer = setTimeout(reload, debounceDelay)
    })
}
