import { assumptionRegistry, defaultAssumptions } from '../assumptions/registry.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { StartedPlantMock } from '../server/start.ts'
import { plural } from '../util/words.ts'
import type { Values } from './options.ts'

/** The plants that a server starts with. */
export type InitialPlants = {
  readonly plants: number
  /** Their source in words, such as `garden`. */
  readonly from: string
  /** The file of `--persist`. */
  readonly kept?: string
}

/** Renders the JSON line that a server prints when it listens. */
export const listeningJson = (
  { url, controlUrl, mock }: StartedPlantMock,
  initial: InitialPlants,
  version: string,
): string => {
  const assumed = Object.fromEntries(changedAssumptions(mock))
  return `${JSON.stringify({ event: 'listening', name: 'plant-mock', version, url, control: controlUrl, ...initial, assumed })}\n`
}

/** Renders the text that a server prints when it listens. */
export const listeningText = (
  { url, controlUrl, mock }: StartedPlantMock,
  { plants, from }: InitialPlants,
  version: string,
  values: Values,
): string => {
  if (values.quiet) return `${url}\n`
  const tokens =
    mock.instances.root.inForce['auth.tokens'] === 'any'
      ? 'any bearer token is accepted'
      : 'only known bearer tokens are accepted'
  // A given token may be a real one, which must not appear on a screen.
  const authorization = values.token === undefined ? "'Authorization: Bearer alice'" : '"Authorization: Bearer $TOKEN"'
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['Plants', `${plural(plants, 'plant')} from ${from}; ${tokens}`],
    ['Stored', values.persist === undefined ? undefined : `in ${values.persist}`],
    ['Assumed', assumedText(mock, values)],
    ['Faults', faultsText(values)],
    ['Handlers', values.handlers === undefined ? undefined : `${values.handlers}, before the mock`],
    ['Upstream', upstreamText(values)],
    ['Try', `curl -H ${authorization} '${url}/plants?limit=3'`],
    ['Dashboard', controlUrl ?? 'off, because other machines can reach this address; enable it with --control-key'],
    ['Stop', 'Ctrl-C'],
  ]
  return [
    `plant-mock ${version} on ${url}`,
    '',
    ...rows.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(9)}  ${text}`])),
    '',
    '',
  ].join('\n')
}

const assumedText = (mock: LocalPlantMock, { 'assumption-seed': seed }: Values): string | undefined => {
  const changed = changedAssumptions(mock).map(([id, value]) => `${id}=${value}`)
  if (changed.length === 0) return undefined
  return `${seed === undefined ? '' : `from seed ${seed}: `}${changed.join(', ')}`
}

const faultsText = ({ latency, 'fail-rate': failRate = 0 }: Values): string | undefined => {
  const faults = [
    ...(latency === undefined
      ? []
      : [`responses delayed by ${typeof latency === 'number' ? latency : latency.join(' to ')} ms`]),
    ...(failRate === 0 ? [] : [`${Number((failRate * 100).toFixed(6))}% of requests get 503`]),
  ]
  return faults.length === 0 ? undefined : faults.join(', ')
}

const upstreamText = ({
  upstream,
  'upstream-for': forwarded = 'rest',
  check,
  record,
  fallback,
}: Values): string | undefined => {
  if (upstream === undefined) return undefined
  return [
    `${upstream} for ${forwarded === 'rest' ? 'everything except /plants' : 'everything, including /plants'}`,
    ...(check === undefined ? [] : [check === 'strict' ? 'strictly checked' : 'checked']),
    ...(record === undefined ? [] : [`recorded to ${record}`]),
    ...(fallback ? ['falls back to the mock'] : []),
  ].join('; ')
}

const changedAssumptions = ({ instances: { root } }: LocalPlantMock) =>
  assumptionRegistry
    .map(({ id }) => [id, root.inForce[id]] as const)
    .filter(([id, value]) => value !== defaultAssumptions[id])
