import { type Assumptions, assumptionRegistry, defaultAssumptions } from '../core/assumptions/registry.ts'
import { maxUrlLength } from '../core/mock/request-line.ts'
import { dashboardOff, firstCommand } from '../server/control/paths.ts'
import type { LoggedRequest } from '../server/listener/logged-request.ts'
import type { StartedPlantMock } from '../server/start/start.ts'
import { lineWidth, printable, printableJson, wrap } from '../util/terminal.ts'
import { shorten } from '../util/text.ts'
import { plural } from '../util/words.ts'
import type { CommandLine, Terminal } from './command.ts'
import type { Values } from './options.ts'

export type InitialPlants = {
  readonly count: number
  readonly from: string | undefined
  readonly recorded?: readonly string[]
}

export const renderBanner = (
  { url, controlUrl, mock, sharedStore: store }: StartedPlantMock,
  initial: InitialPlants,
  { command, values }: Pick<CommandLine, 'command' | 'values'>,
  version: string,
): string => {
  const { root, callers } = mock.instances
  const { inForce } = root
  const changed = assumptionRegistry
    .map(({ id }) => [id, inForce[id]] as const)
    .filter(([id, value]) => value !== defaultAssumptions[id])
  const { handlers, json, persist, quiet } = values
  const name = store && (values['store-name'] ?? 'default')
  if (json) {
    const plants = { plants: initial.count, from: initial.from, kept: persist, store, storeName: name }
    const assumed = Object.fromEntries(changed)
    const entry = { event: 'listening', name: 'plant-mock', version, url, control: controlUrl, ...plants, assumed }
    return `${printableJson(entry)}\n`
  }
  if (quiet) return `${url}\n`
  const assumed = wrap(changed.map(([id, value]) => shorten(`${id}=${value}`, maxLength)).join(', '), lineWidth).join(
    '\n',
  )
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    [
      'Plants',
      `${plural(initial.count, 'plant')}${store ? '' : ` from ${initial.from}`}; ${acceptedTokens(inForce, [...(values.token === undefined ? [] : ['--token']), ...callers.configured])}`,
    ],
    ['Tokens', tokenText(inForce, initial)],
    ['Stored', persist && `in ${persist}`],
    ['Shared', store && `in ${store}, as the mock "${name}", which began with ${initial.from}`],
    ['Assumed', assumed],
    ['Faults', faultsText(values)],
    ['Handlers', handlers && `${handlers}, before the mock`],
    ['Upstream', upstreamText(values)],
    ['Try', firstCommand(url, inForce, initial.recorded?.[0])],
    ['Dashboard', controlUrl ?? dashboardOff],
    ['Stop', command === 'serve' ? 'Ctrl-C' : undefined],
  ]
  const lines = rows.flatMap(([label, text]) => {
    const [first, ...rest] = (text || '').split('\n')
    return first
      ? [`  ${label.padEnd(9)}  ${printable(first)}`, ...rest.map((line) => `${indent}${printable(line)}`)]
      : []
  })
  return [`plant-mock ${version} on ${url}`, '', ...lines, '', ''].join('\n')
}

const indent = ' '.repeat(13)

const acceptedTokens = (inForce: Assumptions, callers: readonly string[]): string => {
  if (inForce['auth.tokens'] === 'any') return 'any bearer token is accepted'
  if (callers.length === 0) return 'only tokens in the access of plants are accepted'
  return `only tokens of ${shorten(callers.join(', '), maxLength)}, and tokens in the access of plants, are accepted`
}

const maxLength = 120

const tokenText = (inForce: Assumptions, { recorded = [] }: InitialPlants): string => {
  const send = `send the token ${shorten(recorded.join(' or '), maxLength)} to act as this recorded caller`
  const add = 'to accept another token, add --token TOKEN'
  return [recorded.length > 0 && send, inForce['auth.tokens'] === 'listed' && add].filter(Boolean).join('; ')
}

const faultsText = ({ latency, 'fail-rate': failRate }: Values): string => {
  const delay = typeof latency === 'object' ? latency.join(' to ') : latency
  const faults = [
    delay !== undefined && `responses delayed by ${delay} ms`,
    failRate && `${Number((failRate * 100).toFixed(6))}% of requests get 503`,
  ]
  return faults.filter(Boolean).join(', ')
}

const upstreamText = ({ upstream, 'upstream-for': forwarded = 'rest', check, record }: Values) =>
  upstream &&
  [
    `${upstream} for ${forwarded === 'rest' ? 'everything except /plants' : 'everything, including /plants'}`,
    check && (check === 'strict' ? 'strictly checked' : 'checked'),
    record && `recorded to ${record}`,
  ]
    .filter(Boolean)
    .join('; ')

export const requestLog = (
  { out, isSlow }: Pick<Terminal, 'out' | 'isSlow'>,
  render: (request: LoggedRequest) => string,
  notice: (text: string) => void,
) => {
  let omitted = 0
  const end = (): void => {
    if (omitted > 0) notice(`${plural(omitted, 'request')} not logged, because standard output is read too slowly`)
    omitted = 0
  }
  return {
    print(request: LoggedRequest): void {
      if (isSlow()) {
        omitted++
        return
      }
      if (omitted > 0) end()
      out(`${render(request)}\n`)
    },
    end,
  }
}

export const requestJson = (request: LoggedRequest): string => {
  const { status, violations } = request
  return printableJson({
    event: 'request',
    ...request,
    url: shorten(request.url, maxUrlLength),
    status: status || undefined,
    violations: violations.length > 0 ? violations : undefined,
    milliseconds: Math.round(request.milliseconds * 1000) / 1000,
  })
}
