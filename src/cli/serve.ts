import { describeProvenance } from '../assumptions/resolve.ts'
import { addCoverage, type Coverage, renderCoverage } from '../mock/coverage.ts'
import type { StartOptions } from '../server/options.ts'
import { startServer } from '../server/start.ts'
import { PlantMockError } from '../util/errors.ts'
import { printableJson, printableLines } from '../util/terminal.ts'
import { assumptionsOf, idsSetBy } from './assumption-settings.ts'
import { renderBanner } from './banner.ts'
import { exitCodes, type RunCommand, type Terminal } from './command.ts'
import type { Values } from './options.ts'
import { plantSource } from './plant-source.ts'
import { type RequestLog, requestJson, requestLine, requestLog } from './request-log.ts'
import { startOptions } from './start-options.ts'

// perf: modules that only some options need are imported on demand, for a short cold start (`npm run bench`).
const importHandlers = () => import('./handlers.ts')
const importWatch = () => import('./watch.ts')
const importWriteJson = () => import('./write-json.ts')

/** `plant-mock serve`: serves until SIGINT, SIGTERM or SIGHUP. */
export const serve: RunCommand = async (line, terminal, version) => {
  const { values } = line
  const { coverage, json = false, persist, quiet = false } = values
  let isServing = false
  const handleSignals = () =>
    new Promise<void>((resolve) => {
      terminal.onStop(() => (isServing ? resolve() : terminal.exit(exitCodes.success)))
    })
  // Plants take seconds to load, and nothing needs an orderly end before: without a handler, a signal ends the process at
  // once. The first process of a container gets only the signals that it handles.
  const stoppedEarly = terminal.isFirstProcess ? handleSignals() : undefined
  const { assumptions, provenance } = await assumptionsOf(line, terminal)
  const source = await plantSource(values)
  if (values.watch && source.files.length === 0 && values.handlers === undefined && persist === undefined)
    throw new PlantMockError('--watch needs --fixtures, --handlers or --persist: generated plants have no file.')
  const plants = await source.load()
  // Written before serving too, so that a file that cannot be written is an error of usage.
  if (coverage !== undefined) await writeCoverage(coverage, [])
  const handlers =
    values.handlers === undefined ? undefined : await (await importHandlers()).openHandlers(values.handlers)
  const { log, ...logging } = openLog(values, terminal)
  const started = await startServer(
    {
      ...(await startOptions(values)),
      ...(handlers !== undefined && { respond: handlers.respond }),
      fixtures: plants,
      assume: assumptions,
      provenance: Object.fromEntries(Object.entries(provenance).map(([id, value]) => [id, describeProvenance(value)])),
      ...logging,
    },
    { fixed: idsSetBy(provenance, 'flag') },
  )
  isServing = true
  const stopped = stoppedEarly ?? handleSignals()
  const watcher = values.watch ? (await importWatch()).watchAll(started, source, handlers, values, terminal) : undefined
  const { initialCount = 0 } = started.persisted ?? {}
  const initial = { count: initialCount || plants.length, from: initialCount > 0 ? persist : source.description }
  terminal.out(renderBanner(started, initial, values, version))
  await stopped
  watcher?.close()
  await started.close()
  log?.end()
  if (coverage !== undefined) {
    const met = await started.mock.coverage()
    await writeCoverage(coverage, met)
    if (!quiet && !json) terminal.out(`${renderCoverage(met)}\n`)
  }
  if (!quiet) terminal.out(json ? '{"event":"stopped"}\n' : 'Stopped.\n')
  return exitCodes.success
}

/** With `--quiet`, standard output has only the address, and notices go to standard error. */
const openLog = (
  { json, quiet }: Values,
  terminal: Terminal,
): Pick<StartOptions, 'onNotice' | 'onRequest'> & { readonly log?: RequestLog } => {
  const { out, error, colour } = terminal
  if (quiet) return { onNotice: (text) => error(`plant-mock: ${printableLines(text)}\n`) }
  const notice = (text: string): void =>
    out(`${json ? printableJson({ event: 'notice', text }) : printableLines(text)}\n`)
  const log = requestLog(terminal, json ? requestJson : (request) => requestLine(request, colour), notice)
  return { onNotice: notice, onRequest: log.print, log }
}

const writeCoverage = async (file: string, coverage: Coverage): Promise<void> =>
  (await importWriteJson()).writeJson(file, { coverage: addCoverage([coverage]) }, '--coverage')
