import { watchFiles } from '../fixtures/watch.ts'
import type { StartedPlantMock } from '../server/start.ts'
import { count } from './banner.ts'
import type { PlantSource } from './plant-source.ts'
import type { Handlers } from './start-options.ts'
import type { Terminal } from './terminal.ts'

type Watched = {
  readonly source: PlantSource
  readonly handlers: Handlers | undefined
  /** The file in which plants are kept, as the user calls it. */
  readonly persist: string | undefined
}

/**
 * Files are watched one by one for what they are: plants, or handlers. Fixtures that are edited take the place of all
 * plants, so they are let be where plants are kept.
 */
export const watchAll = (
  started: StartedPlantMock,
  { source, handlers, persist }: Watched,
  terminal: Terminal,
  json: boolean,
) => {
  const { persisted } = started
  const watchers = [
    ...(persist !== undefined && persisted !== undefined
      ? [watchPlants([persisted.path], async () => persisted.reload(), persist, terminal, json)]
      : source.files.length === 0
        ? []
        : [
            watchPlants(
              source.files,
              () => loadFixtures(started, source),
              source.description,
              terminal,
              json,
            ),
          ]),
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

const loadFixtures = async ({ mock }: StartedPlantMock, source: PlantSource): Promise<number> => {
  const plants = await source.load()
  await mock.load(plants)
  return plants.length
}

/** `load` says how many plants there are then; `undefined` when nothing has changed. */
const watchPlants = (
  files: readonly string[],
  load: () => Promise<number | undefined>,
  from: string,
  terminal: Terminal,
  json: boolean,
) =>
  watch(files, terminal, async () => {
    try {
      const plants = await load()
      if (plants === undefined) return
      terminal.out(
        json
          ? `${JSON.stringify({ event: 'loaded', plants })}\n`
          : `Loaded anew: ${count(plants)} from ${from}.\n`,
      )
    } catch (reason) {
      terminal.error(
        `plant-mock: The change was not loaded, the plants are as before. ${(reason as Error).message}\n`,
      )
    }
  })

const watch = (files: readonly string[], { error }: Terminal, onChange: () => void) =>
  watchFiles(files, { onChange, onNotice: (text) => error(`plant-mock: ${text}\n`) })
