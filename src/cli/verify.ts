import { access, constants, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import type { AssumptionFile } from '../assumptions/file.ts'
import { type ConformanceReport, checkConformance } from '../conformance/check.ts'
import { renderConformance } from '../conformance/report.ts'
import { firstId, lastId, maxCreated, namePrefix } from '../conformance/sample-plants.ts'
import { PlantMockError } from '../util/errors.ts'
import { assumptionsOf } from './assumption-settings.ts'
import type { CommandLine } from './parse.ts'
import type { Run } from './run.ts'
import { writeJson } from './write-json.ts'

/**
 * `plant-mock verify URL`: checks a live service. Exit codes: 0 all rules kept, 1 a rule broken, 2 misuse,
 * 3 the service cannot be reached, 130 stopped.
 */
export const verify: Run = async (line, terminal) => {
  const { values, operand: baseUrl = '' } = line
  const caller = tokenOf(line)
  askFirst(line)
  if (values.learn !== undefined) await checkWritable(values.learn)
  const { token: _, ...others } = values
  const { assumptions } = await assumptionsOf({ values: others, flags: line.flags }, terminal.environment)

  const stop = new AbortController()
  terminal.onStop(() => stop.abort())
  const clear = terminal.interactive ? '\r\u001B[K' : ''
  const report = await checkConformance({
    baseUrl,
    tokens: { caller, other: values['other-token'] },
    readOnly: values['read-only'] ?? false,
    assumptions,
    headers: Object.fromEntries(values.header ?? []),
    ...(values.timeout !== undefined && { timeout: values.timeout * 1000 }),
    signal: stop.signal,
    onProgress: (id, done, of) => {
      if (terminal.interactive) terminal.error(`${clear}${done} of ${of}  ${id}`)
    },
  })
  terminal.error(clear)
  terminal.out(renderConformance(report, values.reporter, terminal.colour))
  if (stop.signal.aborted) return 130
  if (values.learn !== undefined) {
    const learned = await learn(report, values.learn)
    terminal.error(
      `Learned ${learned} values into ${values.learn}. Imitate the service: plant-mock --assumptions ${values.learn}\n`,
    )
  }
  return report.conforms ? 0 : 1
}

const tokenOf = ({ values: { token = [] } }: CommandLine): string => {
  const [caller, extra] = token
  if (caller === undefined)
    throw new PlantMockError('--token is missing: the token of a caller, also from PLANT_MOCK_TOKEN.')
  if (extra !== undefined)
    throw new PlantMockError('--token is for one caller; the other goes with --other-token.')
  return caller
}

/** Plants that were created cannot be taken away again: nobody is to be surprised by them. */
const askFirst = ({ values, operand = '' }: CommandLine): void => {
  if (values['read-only'] || values.yes || !URL.canParse(operand) || isLoopback(new URL(operand).hostname))
    return
  throw new PlantMockError(
    `This creates up to ${maxCreated} plants at ${new URL(operand).host}, with "${namePrefix} …" for a name or tag and ids from ${firstId} to ${lastId}; ` +
      'the contract has no way to delete them. Go on with --yes, or look only with --read-only.',
  )
}

const isLoopback = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

const checkWritable = async (file: string): Promise<void> => {
  const refuse = (reason: string) => new PlantMockError(`--learn cannot write ${file}: ${reason}.`)
  await access(dirname(file)).catch(() => {
    throw refuse('its folder does not exist')
  })
  await access(dirname(file), constants.W_OK).catch(() => {
    throw refuse('nothing may be written in its folder')
  })
  const there = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw refuse(error.message)
  })
  if (there?.isDirectory()) throw refuse('it is a folder')
}

/** Writes what was seen. */
const learn = async ({ baseUrl, assumptions }: ConformanceReport, file: string): Promise<number> => {
  const observed = { host: new URL(baseUrl).host, date: new Date().toISOString().slice(0, 10) }
  const seen = assumptions.flatMap((result) =>
    result.outcome === 'agrees' || result.outcome === 'differs'
      ? [[result.id, { value: result.found, observed }] as const]
      : [],
  )
  const content: AssumptionFile = {
    $schema: './node_modules/plant-mock/fixtures/assumptions.schema.json',
    assumptions: Object.fromEntries(seen),
  }
  await writeJson(file, content, '--learn')
  return seen.length
}
