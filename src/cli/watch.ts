import { type Assumptions, assumptionRegistry } from '../core/assumptions/registry.ts'
import type { FixtureSource } from '../server/files/plant-source.ts'
import { watchFiles } from '../server/files/watch-fixtures.ts'
import type { Handlers } from '../server/start/load-handlers.ts'
import type { StartedPlantMock } from '../server/start/start.ts'
import { printable, printableJson, printableLines } from '../util/terminal.ts'
import { messageOf, plural } from '../util/words.ts'
import type { Terminal } from './command.ts'
import type { Values } from './options.ts'

type Reloaded = { readonly text: string; readonly json: object } | undefined

/** With `--persist`, watches the stored file, because reloading fixture files would replace the stored plants. */
export const watchAll = (
  { persisted, mock }: StartedPlantMock,
  source: FixtureSource,
  handlers: Handlers | undefined,
  resolveAssumptions: () => Promise<Assumptions>,
  { json, persist, assumptions: file }: Values,
  { out, error }: Pick<Terminal, 'out' | 'error'>,
): (() => void) => {
  const watch = (
    files: readonly string[],
    name: 'plants' | 'handlers' | 'assumptions',
    reload: () => Promise<Reloaded>,
  ) =>
    watchFiles(files, async () => {
      try {
        const entry = await reload()
        if (entry === undefined) return
        out(json ? `${printableJson({ event: 'loaded', ...entry.json })}\n` : `Reloaded ${printable(entry.text)}.\n`)
      } catch (reason) {
        error(`plant-mock: Reload failed; keeping the previous ${name}. ${printableLines(messageOf(reason))}\n`)
      }
    })
  const loadFixtures = async (): Promise<number> => {
    const plants = await source.load(() => undefined)
    await mock.replaceFixtures(plants)
    return plants.length
  }
  const watchers = [
    watch(persisted === undefined ? source.files : [persisted.path], 'plants', async () => {
      const plants = persisted === undefined ? await loadFixtures() : persisted.reload()
      const from = persist ?? source.description
      return plants === undefined ? undefined : { text: `${plural(plants, 'plant')} from ${from}`, json: { plants } }
    }),
  ]
  if (handlers !== undefined)
    watchers.push(
      watch([handlers.file], 'handlers', async () => {
        await handlers.reload()
        return { text: `the handlers of ${handlers.file}`, json: { handlers: true } }
      }),
    )
  let before = mock.instances.startedWith
  if (file !== undefined)
    watchers.push(
      watch([file], 'assumptions', async () => {
        const after = await resolveAssumptions()
        const changed = assumptionRegistry.filter(({ id }) => before[id] !== after[id])
        if (changed.length === 0) return undefined
        // Sets only assumptions that changed in the file, because the others may have been set at run time.
        await mock.assume(Object.fromEntries(changed.map(({ id }) => [id, after[id]])))
        mock.instances.startWith?.(after)
        before = after
        return {
          text: `${plural(changed.length, 'changed assumption')} from ${file}`,
          json: { assumptions: changed.length },
        }
      }),
    )
  return () => {
    for (const close of watchers) close()
  }
}
