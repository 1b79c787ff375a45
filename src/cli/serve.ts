import type { PlantMock } from '../adapters/fetch.ts'
import { type StartedPlantMock, startPlantMock } from '../adapters/server.ts'
import { parseAssume } from '../contract/assume.ts'
import { defaultAssumptions, register } from '../contract/assumptions.ts'
import { PlantMockError } from '../contract/errors.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { findFixtureFile, loadFixtures } from '../fixtures/load.ts'
import { watchFiles } from '../fixtures/watch.ts'
import type { Values } from './options.ts'
import { requestJson, requestLine } from './request-log.ts'
import type { Run } from './run.ts'
import type { Terminal } from './terminal.ts'

/** `plant-mock serve`: runs until it is told to stop. */
export const serve: Run = async (values, terminal, version) => {
  const { port = 4010, host, token, assume = [], seed, json = false, quiet = false } = values
  // Before anything is printed: whoever reads the address may send a signal at once.
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  const source = await sourceOf(values)
  const plants = await source.load()
  const started = await startPlantMock({
    port,
    ...(host !== undefined && { host }),
    ...(token !== undefined && { tokens: token }),
    ...(seed !== undefined && { seed }),
    fixtures: plants,
    assume: parseAssume(assume),
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

type Source = {
  /** Files that can be watched. */
  readonly files: readonly string[]
  /** Where the plants come from, in words. */
  readonly description: string
  readonly load: () => Promise<FixturePlant[]>
}

const sourceOf = async ({ fixtures, plants, seed = 1, token = [], watch }: Values): Promise<Source> => {
  const names = fixtures ?? (plants === undefined ? ['garden'] : [])
  const files = await Promise.all(names.map(findFixtureFile))
  if (watch && files.length === 0)
    throw new PlantMockError('--watch needs --fixtures: generated plants do not change.')
  const described = [...names, ...(plants === undefined ? [] : [`${plants} generated with seed ${seed}`])]
  return {
    files,
    description: described.join(' and '),
    load: async () => {
      const loaded = await loadFixtures(...names)
      return plants === undefined ? loaded : [...loaded, ...(await generate(plants, seed, token, loaded))]
    },
  }
}

/** Generated plants take ids above those that are there. The generator is loaded for them alone. */
const generate = async (
  count: number,
  seed: number,
  tokens: readonly string[],
  behind: readonly FixturePlant[],
): Promise<FixturePlant[]> => {
  const { generatePlants } = await import('../fixtures/factory.ts')
  const firstId = behind.reduce((highest, { id = 0 }) => Math.max(highest, id), 0) + 1
  return generatePlants(count, { seed, tokens, firstId })
}

const watchFixtures = ({ mock }: StartedPlantMock, source: Source, { out, error }: Terminal, json: boolean) =>
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
  const assumed = Object.fromEntries(changedIn(mock).map(({ id }) => [id, mock.assumptions[id]]))
  return `${JSON.stringify({ event: 'listening', name: 'plant-mock', version, url, ...served, assumed })}\n`
}

const listeningText = (
  { url, mock }: StartedPlantMock,
  { plants, from }: Served,
  version: string,
  { quiet, token }: Values,
): string => {
  if (quiet) return `${url}\n`
  const changed = changedIn(mock).map(({ id }) => `${id}=${mock.assumptions[id]}`)
  const callers =
    mock.assumptions['auth.tokens'] === 'any'
      ? 'any bearer token is a caller'
      : 'only known tokens are callers'
  // A token that was given may be a real one: it is not for a screen.
  const authorization =
    token === undefined ? "'Authorization: Bearer alice'" : '"Authorization: Bearer $TOKEN"'
  return [
    `plant-mock ${version} on ${url}`,
    '',
    `  Plants   ${count(plants)} from ${from}; ${callers}`,
    ...(changed.length === 0 ? [] : [`  Assumed  ${changed.join(', ')}`]),
    `  Try      curl -H ${authorization} '${url}/plants?limit=3'`,
    '  Stop     Ctrl-C',
    '',
    '',
  ].join('\n')
}

/** The assumptions that the mock was told to change. */
const changedIn = ({ assumptions }: PlantMock) =>
  register.filter(({ id }) => assumptions[id] !== defaultAssumptions[id])

const count = (plants: number): string => `${plants} ${plants === 1 ? 'plant' : 'plants'}`
