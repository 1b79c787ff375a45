import { watchFiles } from '../fixtures/watch.ts'
import type { StartedPlantMock } from '../server/start.ts'
import { count } from './banner.ts'
import type { PlantSource } from './plant-source.ts'
import type { Handlers } from './start-options.ts'
import type { Terminal } from './terminal.ts'

/** Files are watched one by one for what they are: fixtures, or handlers. */
export const watchAll = (
  started: StartedPlantMock,
  source: PlantSource,
  handlers: Handlers | undefined,
  terminal: Terminal,
  json: boolean,
) => {
  const watchers = [
    ...(source.files.length === 0 ? [] : [watchFixtures(started, source, terminal, json)]),
    ...(handlers === undefined ? [] : [watchHandlers(handlers, terminal, json)]),
  ]
  return {
    close() {
      for (const watcher of watchers) watcher.close()
    },
  }
}

const watchHandlers = (handlers: Handlers, terminal: Terminal, json: boolean) =>
  watch([handlers.file], terminal, async () => {
    try {
      await handlers.load()
      terminal.out(
        json ? '{"event":"loaded","handlers":true}\n' : `Loaded anew: the handlers of ${handlers.file}.\n`,
      )
    } catch (reason) {
      terminal.error(
        `plant-mock: The change was not loaded, the handlers are as before. ${(reason as Error).message}\n`,
      )
    }
  })

const watchFixtures = ({ mock }: StartedPlantMock, source: PlantSource, terminal: Terminal, json: boolean) =>
  watch(source.files, terminal, async () => {
    try {
      const plants = await source.load()
      await mock.load(plants)
      terminal.out(
        json
          ? `${JSON.stringify({ event: 'loaded', plants: plants.length })}\n`
          : `Loaded anew: ${count(plants.length)} from ${source.description}.\n`,
      )
    } catch (reason) {
      terminal.error(
        `plant-mock: The change was not loaded, the plants are as before. ${(reason as Error).message}\n`,
      )
    }
  })

const watch = (files: readonly string[], { error }: Terminal, changed: () => void) =>
  watchFiles(files, { changed, onNotice: (text) => error(`plant-mock: ${text}\n`) })
