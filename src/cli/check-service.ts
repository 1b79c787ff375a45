import { isLoopback } from '../core/http/address.ts'
import { PlantMockError } from '../util/errors.ts'
import { eraseLine } from '../util/terminal.ts'
import { type ConformanceReport, checkConformance } from '../verify/ask/check.ts'
import { maxCreated } from '../verify/ask/client.ts'
import { type ConformanceOptions, parseBaseUrl } from '../verify/ask/options.ts'
import { idsOf } from '../verify/ask/plant-source.ts'
import { routedFetch } from '../verify/ask/routed-fetch.ts'
import { namePrefix } from '../verify/read/test-request.ts'
import type { CommandLine, Terminal } from './command.ts'
import type { Values } from './options.ts'

export type Target = Pick<ConformanceOptions, 'baseUrl' | 'tokens'>

export const targetOf = (address: string, { command, values }: CommandLine): Target => {
  const baseUrl = parseBaseUrl(address)
  const [caller, extra] = values.token ?? []
  if (caller === undefined)
    throw new PlantMockError('A bearer token is missing. Set --token TOKEN or PLANT_MOCK_TOKEN.')
  if (extra !== undefined)
    throw new PlantMockError(`--token takes one token with ${command}. Set --other-token for a second caller.`)
  if (!values['read-only'] && !values.yes && !isLoopback(new URL(baseUrl).hostname))
    throw new PlantMockError(
      `This creates ${effects(baseUrl, values)}. The contract has no operation to delete them. Confirm with --yes, or create none with --read-only.`,
    )
  return { baseUrl, tokens: { caller, other: values['other-token'] } }
}

export const checkService = async (
  target: Target,
  { values }: CommandLine,
  terminal: Terminal,
  options: Partial<ConformanceOptions> & Pick<ConformanceOptions, 'signal'>,
): Promise<ConformanceReport> => {
  const clear = terminal.interactive ? eraseLine : ''
  const routed = routedFetch(target.baseUrl, (values.timeout ?? 10) * 1000)
  let progress = 'Sending the first requests'
  const end = terminal.whileWaiting?.(() => progress)
  const report = await checkConformance({
    ...target,
    readOnly: values['read-only'] ?? false,
    headers: Object.fromEntries(values.header ?? []),
    ...(values.plant !== undefined && { plant: values.plant }),
    ...(values.timeout !== undefined && { timeout: values.timeout * 1000 }),
    ...(values.seed !== undefined && { seed: values.seed }),
    ...options,
    ...(routed !== undefined && { fetch: routed }),
    ...(terminal.wait !== undefined && { wait: terminal.wait }),
    onProgress: (id, done, total) => {
      if (done === 0 && !values['read-only'])
        terminal.error(`Creates ${effects(target.baseUrl, values)}. --read-only creates none.\n`)
      progress = `${done} of ${total}  ${id}`
      if (terminal.interactive) terminal.error(`${clear}${progress}`)
    },
  }).finally(() => end?.())
  terminal.error(clear)
  return report
}

export const observedAt = ({ baseUrl }: Target) => ({
  host: new URL(baseUrl).host,
  date: new Date().toISOString().slice(0, 10),
})

const effects = (baseUrl: string, { plant = {} }: Values): string => {
  const { from, to } = idsOf(plant)
  return `up to ${maxCreated} plants at ${new URL(baseUrl).host}, with a name or tag that starts with "${namePrefix}" and ids from ${from} to ${to}`
}
