import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Learned, parseEntries } from '../core/assumptions/file.ts'
import { isLoopback } from '../core/http/address.ts'
import { loadLearned } from '../server/files/load-fixtures.ts'
import { checkWritableBeside, writeForOption } from '../server/files/write-fixtures.ts'
import { PlantMockError } from '../util/errors.ts'
import { inOrderOf } from '../util/json.ts'
import { shellWord } from '../util/shell.ts'
import { eraseLine, printable } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import { type ConformanceReport, checkConformance } from '../verify/ask/check.ts'
import { maxCreated } from '../verify/ask/client.ts'
import { type ConformanceOptions, parseBaseUrl } from '../verify/ask/options.ts'
import { idsOf } from '../verify/ask/plant-source.ts'
import type { CreatedPlant } from '../verify/read/created-plant.ts'
import { isNewlyBroken, learn, learnBroken, type RuleState } from '../verify/read/learned.ts'
import { namePrefix } from '../verify/read/test-request.ts'
import { type Drift, isAlarming, renderDrift } from '../verify/report/changes-report.ts'
import { compareLearned } from '../verify/report/compare-learned.ts'
import { renderConformance } from '../verify/report/report.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { type CommandLine, type RunCliCommand, stopSignal, type Terminal } from './command.ts'
import { judgeDrift } from './drift.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { findings, reportToGitHub, type SummaryRow } from './github.ts'
import type { Values } from './options.ts'
import { reporterOf, usualFormats } from './reporter.ts'

/** `plant-mock verify URL`: checks a live service against the contract. */
export const verify: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const reporter = reporterOf(values, usualFormats)
  if (isFile(line)) return compareFiles(line, terminal)
  const target = targetOf(line)
  if (values.learn !== undefined) await checkWritable(values.learn)
  // The check adds to the file.
  const learned: Learned =
    values.learn !== undefined && existsSync(values.learn)
      ? await loadLearned(values.learn)
      : { entries: new Map(), broken: [], source: undefined }
  const expect = values.expect === undefined ? undefined : await loadLearned(values.expect)
  const { assumptions } = await assumptionsOf(line, terminal)
  const content = (found: ConformanceReport['assumptions']) => learn(found, learned.entries, observedAt(target))
  const { report: checked, signal } = await checkService(target, line, terminal, {
    assumptions,
    ...(expect !== undefined && { expect: expect.entries, knownBroken: expect.broken }),
    ...(values.learn !== undefined && { imitate: (found) => parseEntries(JSON.stringify(content(found)), 'learned') }),
  })
  const { error, ...judged } = await judge(checked, line, terminal, signal)
  const report = { ...checked, ...judged }
  terminal.out(renderConformance(report, reporter, terminal.paint, values.verbose))
  await reportToGitHub(terminal, 'verify', {
    verdict: renderConformance(report).split('\n')[0] ?? '',
    findings: findingsOf(report),
  })
  const isCleanedUp = await cleanUp(values.cleanup, report.plants, terminal)
  if (signal.aborted) return exitCodes.interrupted
  if (values.learn !== undefined) {
    const broken = learnBroken(report.rules, learned.broken)
    const written = { ...content(report.assumptions), ...(broken.length > 0 && { broken }) }
    const schema = learned.source?.$schema
    await writeForOption(
      '--learn',
      values.learn,
      inOrderOf(learned.source, schema === undefined ? written : { ...written, $schema: schema }),
    )
    const entries = Object.values(written.assumptions)
    const count = entries.filter((entry) => typeof entry !== 'object' || 'value' in entry).length
    const mockCommand = `npx plant-mock --assumptions ${shellWord(values.learn)}`
    terminal.error(
      `Wrote ${plural(count, 'observed value')} to ${printable(values.learn)}. Mock this service: ${printable(mockCommand)}\n`,
    )
  }
  if (error !== undefined) throw error
  return isCleanedUp ? exitCodeOf(report) : exitCodes.unreachable
}

type Target = Pick<ConformanceOptions, 'baseUrl' | 'tokens'>

/** @throws PlantMockError without a token or an address, and where creates need to be confirmed. */
const targetOf = ({ values, operands: [address = ''] }: CommandLine): Target => {
  const [caller, extra] = values.token ?? []
  if (caller === undefined)
    throw new PlantMockError('A bearer token is missing. Set --token TOKEN or PLANT_MOCK_TOKEN.')
  if (extra !== undefined)
    throw new PlantMockError('--token takes one token with verify. Set --other-token for a second caller.')
  const baseUrl = parseBaseUrl(address)
  checkCreationConfirmed(baseUrl, values)
  return { baseUrl, tokens: { caller, other: values['other-token'] } }
}

/** Checks a service, which a signal stops, and shows the progress. */
const checkService = async (
  target: Target,
  { values }: CommandLine,
  terminal: Terminal,
  options: Partial<ConformanceOptions>,
): Promise<{ readonly report: ConformanceReport; readonly signal: AbortSignal }> => {
  const signal = stopSignal(terminal)
  const clear = terminal.interactive ? eraseLine : ''
  const report = await checkConformance({
    ...target,
    ...checkOptions(values),
    ...options,
    signal,
    ...(terminal.wait !== undefined && { wait: terminal.wait }),
    onProgress: (id, done, total) => {
      if (done === 0 && !values['read-only'])
        terminal.error(`Creates ${effects(target.baseUrl, values)}. --read-only creates none.\n`)
      if (terminal.interactive) terminal.error(`${clear}${done} of ${total}  ${id}`)
    },
  })
  terminal.error(clear)
  return { report, signal }
}

const observedAt = ({ baseUrl }: Target) => ({
  host: new URL(baseUrl).host,
  date: new Date().toISOString().slice(0, 10),
})

/** Judges the changes by the command after `--`. An error must not hide the report of the check. */
const judge = async (
  { changes = [], refinements = [], newlySeen = [] }: Pick<ConformanceReport, 'changes' | 'refinements' | 'newlySeen'>,
  line: CommandLine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Partial<Pick<Drift, 'changes' | 'together'>> & { readonly error?: unknown }> => {
  const { expect: earlier } = line.values
  if (line.rest.length === 0 || earlier === undefined || signal.aborted) return {}
  const alsoKnown = [...refinements, ...newlySeen]
  return judgeDrift(line, terminal, { earlier, changes, alsoKnown, signal }).catch((error) => ({ error }))
}

/** The rules that are broken newly, and the changes that break something, or may do so. */
const findingsOf = ({
  rules,
  changes = [],
  together,
}: Pick<ConformanceReport, 'changes' | 'together'> & {
  readonly rules: readonly RuleState[]
}): readonly SummaryRow[] => [
  ...rules.filter(isNewlyBroken).map(({ id }) => ({ what: `${id} is broken` })),
  ...changes
    .filter((change) => isAlarming({ changes: [change], together: together && [] }))
    .flatMap(({ id, was, is, breaks = [] }) => findings(`${id}: was ${was}, is ${is}`, breaks)),
  ...(together ?? []).flatMap(({ ids, breaks }) => findings(`fails only with ${ids.join(' with ')}`, breaks)),
]

/** Whether the operand is a file instead of the address of a service. */
const isFile = ({ operands: [operand = ''] }: CommandLine): boolean =>
  !operand.includes('://') && (operand.endsWith('.json') || existsSync(operand))

/** Compares a later learned file with the file of `--expect`. */
const compareFiles = async (line: CommandLine, terminal: Terminal): Promise<ExitCode> => {
  const {
    values,
    operands: [file = ''],
  } = line
  if (values.expect === undefined)
    throw new PlantMockError(`${file} is a file. Give the earlier one to compare it with: --expect OLD.json ${file}`)
  if (values.learn !== undefined)
    throw new PlantMockError(`--learn writes what a check of a service finds, and ${file} is a file. Give a URL.`)
  const signal = stopSignal(terminal)
  const found = compareLearned(await loadLearned(values.expect), await loadLearned(file))
  const { error, ...judged } = await judge(found, line, terminal, signal)
  const drift = { ...found, ...judged }
  terminal.out(renderDrift(drift, reporterOf(values, usualFormats), terminal.paint))
  await reportToGitHub(terminal, 'verify', {
    verdict: renderDrift(drift).split('\n')[0] ?? '',
    findings: findingsOf(drift),
  })
  if (error !== undefined) throw error
  if (signal.aborted) return exitCodes.interrupted
  if (found.rules.some(isNewlyBroken)) return exitCodes.failure
  return isAlarming(drift) ? exitCodes.changed : exitCodes.success
}

const exitCodeOf = ({ rules, incomplete, changes = [], ...drift }: ConformanceReport): ExitCode => {
  if (rules.some(isNewlyBroken)) return exitCodes.failure
  if (incomplete !== undefined) return exitCodes.unreachable
  return isAlarming({ changes, ...drift }) ? exitCodes.changed : exitCodes.success
}

const checkOptions = (values: Values): Partial<ConformanceOptions> => ({
  readOnly: values['read-only'] ?? false,
  headers: Object.fromEntries(values.header ?? []),
  ...(values.plant !== undefined && { plant: values.plant }),
  ...(values.timeout !== undefined && { timeout: values.timeout * 1000 }),
  ...(values.seed !== undefined && { seed: values.seed }),
})

/** The plants that the check may leave at the service: the contract has no operation to delete them (4.3). */
const effects = (baseUrl: string, { plant = {} }: Values): string => {
  const { from, to } = idsOf(plant)
  return `up to ${maxCreated} plants at ${new URL(baseUrl).host}, with a name or tag that starts with "${namePrefix}" and ids from ${from} to ${to}`
}

const checkCreationConfirmed = (baseUrl: string, values: Values): void => {
  if (values['read-only'] || values.yes || isLoopback(new URL(baseUrl).hostname)) return
  throw new PlantMockError(
    `This creates ${effects(baseUrl, values)}. ` +
      'The contract has no operation to delete them. Confirm with --yes, or create none with --read-only.',
  )
}

/** Checked before the run, so that its result is not lost. */
const checkWritable = async (file: string): Promise<void> => {
  const refuse = (reason: string): never => {
    throw new PlantMockError(`--learn cannot write ${file}: ${reason}.`)
  }
  if (file === '') refuse('the name is empty')
  const existing = await stat(file).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : refuse(error.message),
  )
  if (existing?.isDirectory() || file.endsWith('/')) refuse('it is a folder')
  // Reading a pipe or a device may take forever.
  if (existing?.isFile() === false) refuse('it is not a regular file')
  await access(dirname(file)).catch(() => refuse('its folder does not exist'))
  await checkWritableBeside(file).catch((error: Error) => refuse(error.message))
}

/**
 * Runs the command of `--cleanup` in a shell, with the created plants on its standard input as NDJSON. Its output goes
 * to standard error, so that a report on standard output stays whole.
 * @returns Whether it succeeded; true when there is nothing to do.
 */
const cleanUp = async (
  command: string | undefined,
  plants: readonly CreatedPlant[],
  terminal: Pick<Terminal, 'error' | 'environment'>,
): Promise<boolean> => {
  if (command === undefined || plants.length === 0) return true
  const outcome = await new Promise<string | undefined>((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: terminal.environment as NodeJS.ProcessEnv,
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => terminal.error(String(chunk)))
    child.on('error', (error) => resolve(`cannot be started: ${error.message}`))
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`))
    // A command that reads nothing may end first.
    child.stdin.on('error', () => undefined)
    child.stdin.end(plants.map((plant) => `${JSON.stringify(plant)}\n`).join(''))
  })
  if (outcome === undefined) return true
  terminal.error(`The command of --cleanup ${outcome}; the created plants may remain.\n`)
  return false
}
