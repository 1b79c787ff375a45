import { watchFiles } from '../fixtures/watch.ts'
import type { StartedPlantMock } from '../server/start.ts'
import { messageOf, plural } from '../util/words.ts'
import type { PlantSource } from './plant-source.ts'
import type { Handlers } from './start-options.ts'
import type { Terminal } from './terminal.ts'

type Watched = {
  readonly source: PlantSource
  readonly handlers: Handlers | undefined
  /** The file of `--persist`. */
  readonly persist: string | undefined
}

/** Something that can be reloaded from files. */
type Reloadable = {
  readonly files: readonly string[]
  /** Its name in messages. */
  readonly name: 'plants' | 'handlers'
  /** @returns The log entries of the reload as text and JSON; `undefined` when nothing has changed. */
  readonly reload: () => Promise<{ readonly text: string; readonly json: object } | undefined>
}

/**
 * Watches the files of `--fixtures`, `--persist` and `--handlers`, and reloads them when they change. With `--persist`,
 * fixture files are not watched, because reloading them would replace the stored plants.
 */
export const watchAll = (
  started: StartedPlantMock,
  { source, handlers, persist }: Watched,
  terminal: Terminal,
  json: boolean,
): { readonly close: () => void } => {
  const { persisted, mock } = started
  const reloadFixtures = async () => {
    const plants = await source.load()
    await mock.load(plants)
    return plants.length
  }
  const plants =
    persist !== undefined && persisted !== undefined
      ? reloadablePlants([persisted.path], persist, async () => persisted.reload())
      : reloadablePlants(source.files, source.description, reloadFixtures)
  const all = [plants, ...(handlers === undefined ? [] : [reloadableHandlers(handlers)])]
  const watchers = all.filter(({ files }) => files.length > 0).map((reloadable) => watch(reloadable, terminal, json))
  return {
    close() {
      for (const watcher of watchers) watcher.close()
    },
  }
}

const reloadableHandlers = ({ file, reload }: Handlers): Reloadable => ({
  files: [file],
  name: 'handlers',
  reload: async () => {
    await reload()
    return { text: `the handlers of ${file}`, json: { handlers: true } }
  },
})

/** @param reload Returns the new number of plants; `undefined` when nothing has changed. */
const reloadablePlants = (
  files: readonly string[],
  from: string,
  reload: () => Promise<number | undefined>,
): Reloadable => ({
  files,
  name: 'plants',
  reload: async () => {
    const plants = await reload()
    return plants === undefined ? undefined : { text: `${plural(plants, 'plant')} from ${from}`, json: { plants } }
  },
})

const watch = ({ files, name, reload }: Reloadable, { out, error }: Terminal, json: boolean) =>
  watchFiles(files, {
    onChange: async () => {
      try {
        const entry = await reload()
        if (entry === undefined) return
        out(json ? `${JSON.stringify({ event: 'loaded', ...entry.json })}\n` : `Reloaded ${entry.text}.\n`)
      } catch (reason) {
        error(`plant-mock: Reload failed; keeping the previous ${name}. ${messageOf(reason)}\n`)
      }
    },
    onNotice: (text) => error(`plant-mock: ${text}\n`),
  })
