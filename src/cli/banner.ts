import { assumptionRegistry, defaultAssumptions } from '../core/assumptions/registry.ts'
import { dashboardOff, firstCommand } from '../server/control/first-steps.ts'
import type { StartedPlantMock } from '../server/start/start.ts'
import { printable, printableJson } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import type { CommandLine } from './command.ts'
import type { Values } from './options.ts'

/** The number of plants at the start; and their source in words, such as `garden`, with a store that of its first plants. */
export type InitialPlants = { readonly count: number; readonly from: string | undefined }

/** Renders the text that a server prints when it listens: with `--json` one line of JSON, with `--quiet` the address. */
export const renderBanner = (
  { url, controlUrl, mock, sharedStore: store }: StartedPlantMock,
  initial: InitialPlants,
  { command, values }: Pick<CommandLine, 'command' | 'values'>,
  version: string,
): string => {
  const { inForce } = mock.instances.root
  const changed = assumptionRegistry
    .map(({ id }) => [id, inForce[id]] as const)
    .filter(([id, value]) => value !== defaultAssumptions[id])
  const { 'assumption-seed': seed, handlers, json, persist, quiet } = values
  const name = store && (values['store-name'] ?? 'default')
  if (json) {
    const plants = { plants: initial.count, from: initial.from, kept: persist, store, storeName: name }
    const assumed = Object.fromEntries(changed)
    const entry = { event: 'listening', name: 'plant-mock', version, url, control: controlUrl, ...plants, assumed }
    return `${printableJson(entry)}\n`
  }
  if (quiet) return `${url}\n`
  const tokens = inForce['auth.tokens'] === 'any' ? 'any bearer token is' : 'only known bearer tokens are'
  const assumed = changed.map(([id, value]) => `${id}=${value}`).join(', ')
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['Plants', `${plural(initial.count, 'plant')}${store ? '' : ` from ${initial.from}`}; ${tokens} accepted`],
    ['Stored', persist && `in ${persist}`],
    ['Shared', store && `in ${store}, as the mock "${name}", which began with ${initial.from}`],
    ['Assumed', assumed && `${seed === undefined ? '' : `from seed ${seed}: `}${assumed}`],
    ['Faults', faultsText(values)],
    ['Handlers', handlers && `${handlers}, before the mock`],
    ['Upstream', upstreamText(values)],
    ['Try', firstCommand(url, inForce)],
    ['Dashboard', controlUrl ?? dashboardOff],
    ['Stop', command === 'serve' ? 'Ctrl-C' : undefined],
  ]
  const lines = rows.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)}  ${printable(text)}`] : []))
  return [`plant-mock ${version} on ${url}`, '', ...lines, '', ''].join('\n')
}

const faultsText = ({ latency, 'fail-rate': failRate }: Values): string => {
  const delay = typeof latency === 'object' ? latency.join(' to ') : latency
  const faults = [
    delay !== undefined && `responses delayed by ${delay} ms`,
    failRate && `${Number((failRate * 100).toFixed(6))}% of requests get 503`,
  ]
  return faults.filter(Boolean).join(', ')
}

const upstreamText = ({ upstream, 'upstream-for': forwarded = 'rest', check, record, fallback }: Values) =>
  upstream &&
  [
    `${upstream} for ${forwarded === 'rest' ? 'everything except /plants' : 'everything, including /plants'}`,
    check && (check === 'strict' ? 'strictly checked' : 'checked'),
    record && `recorded to ${record}`,
    fallback && 'falls back to the mock',
  ]
    .filter(Boolean)
    .join('; ')
