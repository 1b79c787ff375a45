import type { LocalPlantMock } from '../adapters/fetch.ts'
import { defaultAssumptions, register } from '../contract/assumptions.ts'
import { PlantMockError } from '../contract/errors.ts'
import { resolveAssumptions } from '../contract/origin.ts'
import { watchFiles } from '../fixtures/watch.ts'
import { addCoverage, type Coverage, renderCoverage } from '../mock/coverage.ts'
import { type StartedPlantMock, startPlantMock } from '../server/start.ts'
import { assumptionSources } from './assumption-sources.ts'
import type { Values } from './options.ts'
import { type PlantSource, plantSource } from './plant-source.ts'
import { requestJson, requestLine } from './request-log.ts'
import type { Run } from './run.ts'
import type { Terminal } from './terminal.ts'
import { writeJson } from './write-json.ts'

/** `plant-mock serve`: runs until it is told to stop. */
export const serve: Run = async (line, terminal, version) => {
  const { values } = line
  const { port = 4010, host, token, seed, latency, coverage, json = false, quiet = false } = values
  // Before anything is printed: whoever reads the address may send a signal at once.
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  const { assumptions } = resolveAssumptions(await assumptionSources(line, terminal.environment))
  const source = await plantSource(values)
  if (values.watch && source.files.length === 0)
    throw new PlantMockError('--watch needs --fixtures: generated plants do not change.')
  const plants = await source.load()
  if (coverage !== undefined) await writeCoverage(coverage, [])
  const started = await startPlantMock({
    port,
    ...(host !== undefined && { host }),
    ...(token !== undefined && { tokens: token }),
    ...(seed !== undefined && { seed }),
    ...(latency !== undefined && { latency }),
    ...(values['fail-rate'] !== undefined && { failRate: values['fail-rate'] }),
    ...(values['control-key'] !== undefined && { controlKey: values['control-key'] }),
    fixtures: plants,
    assume: assumptions,
    onNotice: (text) =>
      quiet ? undefined : terminal.out(json ? `${JSON.stringify({ event: 'notice', text })}\n` : `${text}\n`),
    ...(!quiet && {
      onRequest: (request) =>
        terminal.out(`${json ? requestJson(request) : requestLine(request, terminal.colour)}\n`),
    }),
  })
  const served = { plants: plants.length, from: source.description }
  const watching = values.watch ? watchFixtures(started, source, terminal, json) : undefined
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

const watchFixtures = (
  { mock }: StartedPlantMock,
  source: PlantSource,
  { out, error }: Terminal,
  json: boolean,
) =>
  watchFiles(source.files, async () => {
    try {
      const plants = await source.load()
      await mock.load(plants)
      out(
        json
          ? `${JSON.stringify({ event: 'loaded', plants: plants.length })}\n`
          : `Loaded anew: ${count(plants.length)} from ${source.description}.\n`,
      )
    } catch (reason) {
      error(`plant-mock: The change was not loaded, the plants are as before. ${(reason as Error).message}\n`)
    }
  })

/** How many plants there are on start, and where they come from. */
type Served = { readonly plants: number; readonly from: string }

const listeningJson = (
  { url, controlUrl, mock }: StartedPlantMock,
  served: Served,
  version: string,
): string => {
  const assumed = Object.fromEntries(changedIn(mock).map(({ id }) => [id, mock.worlds.root.inForce[id]]))
  return `${JSON.stringify({ event: 'listening', name: 'plant-mock', version, url, control: controlUrl, ...served, assumed })}\n`
}

const listeningText = (
  { url, controlUrl, mock }: StartedPlantMock,
  { plants, from }: Served,
  version: string,
  values: Values,
): string => {
  const { quiet, token, vary } = values
  if (quiet) return `${url}\n`
  const changed = changedIn(mock).map(({ id }) => `${id}=${mock.worlds.root.inForce[id]}`)
  const callers =
    mock.worlds.root.inForce['auth.tokens'] === 'any'
      ? 'any bearer token is a caller'
      : 'only known tokens are callers'
  // A token that was given may be a real one: it is not for a screen.
  const authorization =
    token === undefined ? "'Authorization: Bearer alice'" : '"Authorization: Bearer $TOKEN"'
  return [
    `plant-mock ${version} on ${url}`,
    '',
    `  Plants   ${count(plants)} from ${from}; ${callers}`,
    ...(changed.length === 0
      ? []
      : [`  Assumed  ${vary === undefined ? '' : `varied with seed ${vary}: `}${changed.join(', ')}`]),
    ...played(values),
    `  Try      curl -H ${authorization} '${url}/plants?limit=3'`,
    `  Control  ${controlUrl ?? 'off: other machines reach this address, and there is no --control-key'}`,
    '  Stop     Ctrl-C',
    '',
    '',
  ].join('\n')
}

/** Failures and delays that nobody should take for the service's. */
const played = ({ latency, 'fail-rate': share = 0 }: Values): readonly string[] => {
  const parts = [
    ...(latency === undefined
      ? []
      : [`answers after ${typeof latency === 'number' ? latency : latency.join(' to ')} ms`]),
    ...(share === 0 ? [] : [`${share * 100} % of the requests answered 503`]),
  ]
  return parts.length === 0 ? [] : [`  Faults   ${parts.join(', ')}`]
}

/** The assumptions that the mock was told to change. */
const changedIn = ({ worlds: { root } }: LocalPlantMock) =>
  register.filter(({ id }) => root.inForce[id] !== defaultAssumptions[id])

const count = (plants: number): string => `${plants} ${plants === 1 ? 'plant' : 'plants'}`
