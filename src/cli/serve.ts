import { describeProvenance } from '../assumptions/resolve.ts'
import { addCoverage, type Coverage, renderCoverage } from '../mock/coverage.ts'
import { startPlantMock } from '../server/start.ts'
import { PlantMockError } from '../util/errors.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { listeningJson, listeningText } from './banner.ts'
import { plantSource } from './plant-source.ts'
import { requestJson, requestLine } from './request-log.ts'
import type { Run } from './run.ts'
import { openHandlers, startOptions } from './start-options.ts'
import { watchAll } from './watch.ts'
import { writeJson } from './write-json.ts'

/** `plant-mock serve`: runs until it is told to stop. */
export const serve: Run = async (line, terminal, version) => {
  const { values } = line
  const { coverage, json = false, persist, quiet = false } = values
  // Before anything is printed: whoever reads the address may send a signal at once.
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  const { assumptions, provenance } = await assumptionsOf(line, terminal.environment)
  const source = await plantSource(values)
  if (values.watch && source.files.length === 0 && values.handlers === undefined && persist === undefined)
    throw new PlantMockError('--watch needs --fixtures or --handlers: generated plants do not change.')
  const plants = await source.load()
  if (coverage !== undefined) await writeCoverage(coverage, [])
  const handlers = values.handlers === undefined ? undefined : await openHandlers(values.handlers)
  const started = await startPlantMock({
    ...(await startOptions(values)),
    ...(handlers !== undefined && { respond: handlers.respond }),
    fixtures: plants,
    assume: assumptions,
    provenance: Object.fromEntries(
      Object.entries(provenance).map(([id, origin]) => [id, describeProvenance(origin)]),
    ),
    onNotice: (text) =>
      quiet
        ? terminal.error(`plant-mock: ${text}\n`)
        : terminal.out(json ? `${JSON.stringify({ event: 'notice', text })}\n` : `${text}\n`),
    ...(!quiet && {
      onRequest: (request) =>
        terminal.out(`${json ? requestJson(request) : requestLine(request, terminal.colour)}\n`),
    }),
  })
  const { initialCount = 0 } = started.persisted ?? {}
  const served = {
    plants: initialCount || plants.length,
    from: initialCount > 0 ? (persist ?? '') : source.description,
    ...(persist !== undefined && { kept: persist }),
  }
  const watching = values.watch ? watchAll(started, { source, handlers, persist }, terminal, json) : undefined
  const listening = json
    ? listeningJson(started, served, version)
    : listeningText(started, served, version, values)
  terminal.out(listening)
  await stopped
  watching?.close()
  await started.close()
  if (coverage !== undefined) {
    const met = await started.mock.coverage()
    await writeCoverage(coverage, met)
    if (!quiet && !json) terminal.out(`${renderCoverage(met)}\n`)
  }
  if (!quiet) terminal.out(json ? '{"event":"stopped"}\n' : 'Stopped.\n')
  return 0
}

/** Written at the start too: a file that cannot be written is said before anything is served. */
const writeCoverage = (file: string, coverage: Coverage): Promise<void> =>
  writeJson(file, { coverage: addCoverage([coverage]) }, '--coverage')
