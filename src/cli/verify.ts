import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AssumptionFile } from '../assumptions/file.ts'
import { type ConformanceReport, checkConformance } from '../conformance/check.ts'
import { renderConformance } from '../conformance/report.ts'
import { firstId, lastId, maxCreated, namePrefix } from '../conformance/sample-plants.ts'
import { isLoopback } from '../http/loopback.ts'
import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { eraseLine } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { exitCodes, type RunCommand } from './command.ts'
import type { Values } from './options.ts'
import { writeJson } from './write-json.ts'

/** `plant-mock verify URL`: checks a live service against the contract. */
export const verify: RunCommand = async (line, terminal) => {
  const { values, operands } = line
  const [baseUrl = ''] = operands
  const caller = callerToken(values)
  checkCreationConfirmed(baseUrl, values)
  if (values.learn !== undefined) await checkWritable(values.learn)
  const { assumptions } = await assumptionsOf(line, terminal)
  const stop = new AbortController()
  terminal.onStop(() => stop.abort())
  const clear = terminal.interactive ? eraseLine : ''
  const report = await checkConformance({
    baseUrl,
    tokens: { caller, other: values['other-token'] },
    readOnly: values['read-only'] ?? false,
    assumptions,
    headers: Object.fromEntries(values.header ?? []),
    ...(values.timeout !== undefined && { timeout: values.timeout * 1000 }),
    signal: stop.signal,
    onProgress: (id, done, total) => {
      if (terminal.interactive) terminal.error(`${clear}${done} of ${total}  ${id}`)
    },
  })
  terminal.error(clear)
  terminal.out(renderConformance(report, values.reporter, terminal.colour))
  if (stop.signal.aborted) return exitCodes.interrupted
  if (values.learn !== undefined) {
    const learned = plural(await writeLearned(report, values.learn), 'observed value')
    const mockCommand = `npx plant-mock --assumptions ${shellWord(values.learn)}`
    terminal.error(`Wrote ${learned} to ${values.learn}. Mock this service: ${mockCommand}\n`)
  }
  return report.conforms ? exitCodes.success : exitCodes.failure
}

const callerToken = ({ token = [] }: Values): string => {
  const [caller, extra] = token
  if (caller === undefined)
    throw new PlantMockError('A bearer token is missing. Set --token TOKEN or PLANT_MOCK_TOKEN.')
  if (extra !== undefined)
    throw new PlantMockError('--token takes one token with verify. Set --other-token for a second caller.')
  return caller
}

/** Created plants are permanent: the contract has no operation to delete them (4.3). */
const checkCreationConfirmed = (baseUrl: string, values: Values): void => {
  if (values['read-only'] || values.yes || !URL.canParse(baseUrl)) return
  const { host, hostname } = new URL(baseUrl)
  if (isLoopback(hostname)) return
  throw new PlantMockError(
    `This creates up to ${maxCreated} plants at ${host}, with a name or tag that starts with "${namePrefix}" and ids from ${firstId} to ${lastId}. ` +
      'The contract has no operation to delete them. Confirm with --yes, or create none with --read-only.',
  )
}

/** Checked before the run, so that its result is not lost. */
const checkWritable = async (file: string): Promise<void> => {
  const refuse = (reason: string): never => {
    throw new PlantMockError(`--learn cannot write ${file}: ${reason}.`)
  }
  const folder = dirname(file)
  await access(folder).catch(() => refuse('its folder does not exist'))
  await access(folder, constants.W_OK).catch(() => refuse('its folder is not writable'))
  const existing = await stat(file).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : refuse(error.message),
  )
  if (existing?.isDirectory()) refuse('it is a folder')
}

/** @returns The number of values written. */
const writeLearned = async ({ baseUrl, assumptions }: ConformanceReport, file: string): Promise<number> => {
  const observed = { host: new URL(baseUrl).host, date: new Date().toISOString().slice(0, 10) }
  const learned = assumptions.flatMap((result) =>
    result.outcome === 'agrees' || result.outcome === 'differs'
      ? [[result.id, { value: result.found, observed }] as const]
      : [],
  )
  const $schema = './node_modules/plant-mock/fixtures/assumptions.schema.json'
  const content: AssumptionFile = { $schema, assumptions: Object.fromEntries(learned) }
  await writeJson(file, content, '--learn')
  return learned.length
}
