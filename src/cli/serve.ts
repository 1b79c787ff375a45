import type { LocalPlantMock } from '../adapters/fetch.ts'
import { defaultAssumptions, register } from '../contract/assumptions.ts'
import { PlantMockError } from '../contract/errors.ts'
import { resolveAssumptions } from '../contract/origin.ts'
import { watchFiles } from '../fixtures/watch.ts'
import { type StartedPlantMock, startPlantMock } from '../server/start.ts'
import { assumptionSources } from './assumption-sources.ts'
import type { Values } from './options.ts'
import { type PlantSource, plantSource } from './plant-source.ts'
import { requestJson, requestLine } from './request-log.ts'
import type { Run } from './run.ts'
import type { Terminal } from './terminal.ts'

/** `plant-mock serve`: runs until it is told to stop. */
export const serve: Run = async (line, terminal, version) => {
  const { values } = line
  const { port = 4010, host, token, seed, json = false, quiet = false } = values
  // Before anything is printed: whoever reads the address may send a signal at once.
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  const { assumptions } = resolveAssumptions(await assumptionSources(line, terminal.environment))
  const source = await plantSource(values)
  if (values.watch && source.files.length === 0)
    throw new PlantMockError('--watch needs --fixtures: generated plants do not change.')
  const plants = await source.load()
  const started = await startPlantMock({
    port,
    ...(host !== undefined && { host }),
    ...(token !== undefined && { tokens: token }),
    ...(seed !== undefined && { seed }),
    fixtures: plants,
    assume: assumptions,
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
  if (!quiet) terminal.out(json ? '{"event":"stopped"}\n' : 'Stopped.\n')
  return 0
}

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

const listeningJson = ({ url, mock }: StartedPlantMock, served: Served, version: string): string => {
  const assumed = Object.fromEntries(changedIn(mock).map(({ id }) => [id, mock.worlds.own.inForce[id]]))
  return `${JSON.stringify({ event: 'listening', name: 'plant-mock', version, url, ...served, assumed })}\n`
}

const listeningText = (
  { url, mock }: StartedPlantMock,
  { plants, from }: Served,
  version: string,
  { quiet, token, vary }: Values,
): string => {
  if (quiet) return `${url}\n`
  const changed = changedIn(mock).map(({ id }) => `${id}=${mock.worlds.own.inForce[id]}`)
  const callers =
    mock.worlds.own.inForce['auth.tokens'] === 'any'
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
    `  Try      curl -H ${authorization} '${url}/plants?limit=3'`,
    '  Stop     Ctrl-C',
    '',
    '',
  ].join('\n')
}

/** The assumptions that the mock was told to change. */
const changedIn = ({ worlds: { own } }: LocalPlantMock) =>
  register.filter(({ id }) => own.inForce[id] !== defaultAssumptions[id])

const count = (plants: number): string => `${plants} ${plants === 1 ? 'plant' : 'plants'}`
