import { assumptionRegistry, defaultAssumptions } from '../assumptions/registry.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { StartedPlantMock } from '../server/start.ts'
import type { Values } from './options.ts'

/** How many plants there are on start, where they come from, and the file in which they are kept. */
export type Served = { readonly plants: number; readonly from: string; readonly kept?: string }

/** What a server says at its start, for machines. */
export const listeningJson = (
  { url, controlUrl, mock }: StartedPlantMock,
  served: Served,
  version: string,
): string => {
  const assumed = Object.fromEntries(changedIn(mock).map(({ id }) => [id, mock.instances.root.inForce[id]]))
  return `${JSON.stringify({ event: 'listening', name: 'plant-mock', version, url, control: controlUrl, ...served, assumed })}\n`
}

/** What a server says at its start. */
export const listeningText = (
  { url, controlUrl, mock }: StartedPlantMock,
  { plants, from }: Served,
  version: string,
  values: Values,
): string => {
  const { quiet, token, 'assumption-seed': assumptionSeed, persist } = values
  if (quiet) return `${url}\n`
  const changed = changedIn(mock).map(({ id }) => `${id}=${mock.instances.root.inForce[id]}`)
  const callers =
    mock.instances.root.inForce['auth.tokens'] === 'any'
      ? 'any bearer token is a caller'
      : 'only known tokens are callers'
  // A token that was given may be a real one: it is not for a screen.
  const authorization =
    token === undefined ? "'Authorization: Bearer alice'" : '"Authorization: Bearer $TOKEN"'
  return [
    `plant-mock ${version} on ${url}`,
    '',
    `  Plants   ${count(plants)} from ${from}; ${callers}`,
    ...(persist === undefined ? [] : [`  Kept     in ${persist}`]),
    ...(changed.length === 0
      ? []
      : [
          `  Assumed  ${assumptionSeed === undefined ? '' : `from seed ${assumptionSeed}: `}${changed.join(', ')}`,
        ]),
    ...played(values),
    ...behind(values),
    `  Try      curl -H ${authorization} '${url}/plants?limit=3'`,
    `  Page     ${controlUrl ?? 'off: other machines reach this address, and there is no --control-key'}`,
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

/** What answers beside the model. */
const behind = (values: Values): readonly string[] => {
  const { handlers, upstream, 'upstream-for': what = 'rest', check, record, fallback } = values
  const parts = [
    `${upstream} for ${what === 'rest' ? 'everything but /plants' : 'everything, /plants too'}`,
    ...(check === undefined ? [] : [check === 'strict' ? 'strictly checked' : 'checked']),
    ...(record === undefined ? [] : [`recorded to ${record}`]),
    ...(fallback ? ['the model while it is away'] : []),
  ]
  return [
    ...(handlers === undefined ? [] : [`  Handlers ${handlers}, first`]),
    ...(upstream === undefined ? [] : [`  Upstream ${parts.join('; ')}`]),
  ]
}

/** The assumptions that the mock was told to change. */
const changedIn = ({ instances: { root } }: LocalPlantMock) =>
  assumptionRegistry.filter(({ id }) => root.inForce[id] !== defaultAssumptions[id])

/** `1 plant`, `24 plants`. */
export const count = (plants: number): string => `${plants} ${plants === 1 ? 'plant' : 'plants'}`
