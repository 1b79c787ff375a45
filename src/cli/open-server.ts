import { assumptionRegistry } from '../core/assumptions/registry.ts'
import { describeProvenance } from '../core/assumptions/resolve.ts'
import { isPseudonym } from '../core/contract/caller.ts'
import { requireAllowed } from '../core/mock/plant-changes.ts'
import { requestLine } from '../core/mock/request-line.ts'
import type { Plants } from '../core/model/plants.ts'
import { type FixtureSource, plantSource } from '../server/files/plant-source.ts'
import { type StartedPlantMock, startServer } from '../server/start/start.ts'
import { PlantMockError } from '../util/errors.ts'
import { messageOf } from '../util/words.ts'
import type { CommandLine, Terminal } from './command.ts'
import type { Values } from './options.ts'
import { type InitialPlants, renderBanner, requestJson, requestLog } from './server-output.ts'
import type { SharedStore } from './shared-store.ts'
import { assumptionsOf, startOptions } from './start-options.ts'

export type ServerOutput = Pick<Terminal, 'out' | 'isSlow' | 'error' | 'paint'> & {
  readonly logsRequests: boolean
  readonly notice: (text: string) => void
}

/** perf: imports on demand what only some options need, for a short cold start (`npm run bench`). */
export const openServer = async (
  line: CommandLine,
  { environment }: Pick<Terminal, 'environment'>,
  output: ServerOutput,
  version: string,
) => {
  const { values } = line
  const { json = false } = values
  const { assumptions, provenance } = await assumptionsOf(line, { environment })
  const source = await plantSource({ ...values, isNewestFirst: assumptions['list.order'] === 'newest' })
  const shared =
    values.store === undefined ? undefined : (await import('./shared-store.ts')).sharedStore(line, values.store)
  const notices: string[] = []
  const plants = await source.load((text) => notices.push(text))
  try {
    requireAllowed(plants, assumptions)
  } catch (error) {
    throw new PlantMockError(`${source.description}: ${messageOf(error)}`)
  }
  const handlers =
    values.handlers === undefined
      ? undefined
      : await (await import('../server/start/load-handlers.ts')).openHandlers(values.handlers)
  const render = json ? requestJson : requestLine
  const log = output.logsRequests
    ? requestLog(output, (request) => render(request, output.paint), output.notice)
    : undefined
  let requests = 0
  const started = await startServer(
    {
      ...(await startOptions(values)),
      ...(handlers !== undefined && { respond: handlers.respond }),
      ...(shared !== undefined && { store: shared.state }),
      fixtures: plants,
      assume: assumptions,
      provenance: Object.fromEntries(Object.entries(provenance).map(([id, value]) => [id, describeProvenance(value)])),
      onNotice: output.notice,
      ...(log !== undefined && {
        onRequest: (request) => {
          requests++
          log.print(request)
        },
      }),
    },
    { assumptions, fixed: assumptionRegistry.flatMap(({ id }) => (provenance[id].by === 'flag' ? [id] : [])) },
  )
  const stopWatching = values.watch
    ? (await import('./watch.ts')).watchAll(
        started,
        source,
        handlers,
        async () => (await assumptionsOf(line, { environment })).assumptions,
        values,
        output,
      )
    : undefined
  output.out(renderBanner(started, initialPlants(started, shared, plants, source, values), line, version))
  // Prints notices after the address, because programs read the address from the first line.
  for (const text of notices) output.notice(text)
  return {
    url: started.url,
    requests: () => requests,
    async close(): Promise<void> {
      stopWatching?.()
      await started.close()
      log?.end()
    },
  }
}

const initialPlants = (
  { persisted }: StartedPlantMock,
  shared: SharedStore | undefined,
  fixtures: Plants,
  { description }: FixtureSource,
  { persist }: Values,
): InitialPlants => {
  if (shared !== undefined) return { count: shared.initialCount(), from: description }
  const { initialCount = 0 } = persisted ?? {}
  if (initialCount > 0) return { count: initialCount, from: persist }
  return { count: fixtures.length, from: description, recorded: fixtures.callers.filter(isPseudonym).sort() }
}
