import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assumeVariable } from '../assumptions/environment.ts'
import { formatAssume } from '../assumptions/parse.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import { type Variation, type VariationOptions, variations } from '../assumptions/variations.ts'
import { startPlantMock } from '../server/start.ts'
import { PlantMockError } from '../util/errors.ts'
import { assumptionsOf } from './assumption-settings.ts'
import type { CommandLine } from './parse.ts'
import { plantSource } from './plant-source.ts'
import type { Run } from './run.ts'
import { runOnce } from './run-command.ts'
import type { Terminal } from './terminal.ts'
import { varyProgress } from './vary-progress.ts'
import { repeatCommand } from './vary-repeat.ts'
import { renderReport, type Tried } from './vary-report.ts'

/** No run counts as hanging before it has taken this long, in milliseconds. */
const shortestTimeout = 60_000

/**
 * `plant-mock vary -- COMMAND`: runs the command as it is, then under each variation, and names what breaks it.
 * Exit codes: 0 nothing does, 1 something does, 2 misuse (a command that fails as it is among it), 130 stopped.
 */
export const vary: Run = async (line, terminal) => {
  const { values, rest: command } = line
  checkUse(line)
  const { assumptions: base } = await assumptionsOf(line, terminal.environment)
  const { pairs = false, thorough = false, only, jobs = 1, reporter = 'text' } = values
  const planned = variations({
    cover: pairs ? 'pairs' : 'each',
    thorough,
    ...(only !== undefined && { only: only as NonNullable<VariationOptions['only']> }),
    base,
  })
  if (planned.length === 0)
    throw new PlantMockError('There is nothing to vary: --only names just what is assumed already.')

  const stop = new AbortController()
  terminal.onStop(() => stop.abort())
  const began = performance.now()
  const folder = await outputFolder(values.output)
  const slots = await openSlots(line, base, Math.min(jobs, planned.length))
  const attempt = async (slot: Slot, variation: Variation, timeout: number | undefined): Promise<Tried> => {
    const output = join(folder, `${fileNameOf(variation)}.log`)
    const environment = await slot.prepare(variation, terminal.environment)
    const result = await runOnce({ command, environment, output, timeout, signal: stop.signal })
    if (result.passed) await rm(output)
    const repeat = repeatCommand(line, variation, pairs)
    return { ...result, variation, output: result.passed ? undefined : output, repeat }
  }

  try {
    const [slot] = slots
    const given = values.timeout === undefined ? undefined : values.timeout * 1000
    const asItIs = await attempt(slot, { name: 'as it is', assume: {} }, given)
    if (!asItIs.passed && !stop.signal.aborted)
      throw new PlantMockError(
        `The command fails without any variation (${asItIs.ending}): mend that first. Output: ${asItIs.output}`,
      )
    const progress = varyProgress(planned.length, asItIs.milliseconds, jobs, terminal)
    const timeout = given ?? Math.max(shortestTimeout, 10 * asItIs.milliseconds)
    const tried: Tried[] = []
    const queue = [...planned.entries()]
    const work = async (slot: Slot): Promise<void> => {
      for (let next = queue.shift(); next !== undefined && !stop.signal.aborted; next = queue.shift()) {
        const [index, variation] = next
        progress.begins(variation)
        const result = await attempt(slot, variation, timeout)
        if (stop.signal.aborted) return
        tried[index] = result
        progress.ends(result)
      }
    }
    await Promise.all(slots.map(work))
    const done = tried.filter((run) => run !== undefined)
    const report = { command, tried: done, planned: planned.length, milliseconds: performance.now() - began }
    terminal.out(renderReport(report, reporter, terminal.colour))
    if (stop.signal.aborted) return 130
    return done.some(({ passed }) => !passed) ? 1 : 0
  } finally {
    await Promise.all(slots.map(({ close }) => close()))
    if (values.output === undefined) await removeEmpty(folder)
  }
}

const checkUse = ({ values, rest }: CommandLine): void => {
  if (rest.length === 0)
    throw new PlantMockError('There is no command to run. Write it behind --: plant-mock vary -- npm test')
  if (values.port !== undefined && values.port !== 0 && (values.jobs ?? 1) > 1)
    throw new PlantMockError('--port is for one server, and --jobs wants several. Leave one of them out.')
}

/** Runs one variation at a time, with a server of its own unless none is wanted. */
type Slot = {
  /** Makes the server ready, and gives the environment for the command. */
  readonly prepare: (
    variation: Variation,
    environment: Terminal['environment'],
  ) => Promise<Terminal['environment']>
  readonly close: () => Promise<void>
}

const openSlots = async (
  { values }: CommandLine,
  base: Assumptions,
  count: number,
): Promise<readonly [Slot, ...Slot[]]> => {
  if (values['no-server']) {
    const slot = (): Slot => ({
      prepare: async (variation, environment) => withAssumptions(environment, base, variation),
      close: async () => undefined,
    })
    return [slot(), ...Array.from({ length: count - 1 }, slot)]
  }
  const plants = await (await plantSource(values)).load()
  // A server for each run: sessions that a run makes start with what it varies, and none is left to the next.
  const open = async (): Promise<Slot> => {
    let close: () => Promise<void> = async () => undefined
    return {
      async prepare(variation, environment) {
        await close()
        const started = await startPlantMock({
          port: values.port ?? 0,
          ...(values.token !== undefined && { tokens: values.token }),
          ...(values.seed !== undefined && { seed: values.seed }),
          fixtures: plants,
          assume: { ...base, ...variation.assume },
        })
        close = started.close
        return { ...withAssumptions(environment, base, variation), PLANT_MOCK_URL: started.url }
      },
      close: () => close(),
    }
  }
  return [await open(), ...(await Promise.all(Array.from({ length: count - 1 }, open)))]
}

/** What a mock inside the command is to assume, where that differs from the defaults. */
const withAssumptions = (
  environment: Terminal['environment'],
  base: Assumptions,
  { assume }: Variation,
): Terminal['environment'] => ({
  ...environment,
  [assumeVariable]: formatAssume({ ...base, ...assume }),
})

const outputFolder = async (given: string | undefined): Promise<string> => {
  if (given === undefined)
    return mkdtemp(join(tmpdir(), 'plant-mock-vary-')).catch((error: Error) => {
      throw new PlantMockError(
        `No temporary folder can be made: ${error.message}. Name another with --output FOLDER.`,
      )
    })
  await mkdir(given, { recursive: true }).catch((error: Error) => {
    throw new PlantMockError(`The folder ${given} cannot be made: ${error.message}.`)
  })
  return given
}

/** A folder of ours in which no output was kept is of no use to anybody. */
const removeEmpty = (folder: string): Promise<void> =>
  rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })

/** `list.order=newest`; the names of pairs are long, and files have limits. */
const fileNameOf = ({ name }: Variation): string => {
  const plain = name.replaceAll(/[^\w.=-]+/g, '_')
  return plain.length <= 80 ? plain : `${plain.slice(0, 60)}_${hash(name)}`
}

const hash = (text: string): string => {
  let value = 0
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return value.toString(36)
}
