import type { Assumptions } from '../core/assumptions/registry.ts'
import { plantSource } from '../server/files/plant-source.ts'
import { SuiteError } from '../util/errors.ts'
import { printableLines } from '../util/terminal.ts'
import type { SuiteRequest } from '../vary/suite/suite-request.ts'
import type { CommandLine, Terminal } from './command.ts'
import type { Values } from './options.ts'
import { printReport, reportToGitHub } from './reporter.ts'
import { startOptions } from './start-options.ts'

export const suiteRequest = async (
  { rest }: Pick<CommandLine, 'rest'>,
  values: Values,
  { environment, error, interactive, runSuite }: Terminal,
  { base, signal }: { readonly base: Assumptions; readonly signal: AbortSignal },
): Promise<SuiteRequest> => {
  const { jobs, results, timeout } = values
  const source = await plantSource({ ...values, isNewestFirst: base['list.order'] === 'newest' })
  const fixtures = await source.load((text) => error(`plant-mock: ${printableLines(text)}\n`))
  return {
    command: rest,
    environment,
    base,
    server: { options: await startOptions({ ...values, port: values.port ?? 0 }), fixtures },
    jobs,
    results,
    timeout: timeout === undefined ? undefined : timeout * 1000,
    signal,
    log: error,
    interactive,
    runSuite,
  }
}

/** Also prints a SuiteError as a report, because some programs read only reports. */
export const orReport = async <Result>(
  search: Promise<Result>,
  { command, values }: Pick<CommandLine, 'command' | 'values'>,
  terminal: Terminal,
  dataOf: (verdict: string) => object = (verdict) => ({ verdict }),
): Promise<Result> => {
  const began = performance.now()
  const end = terminal.whileWaiting?.(() => `${command}: ${Math.round((performance.now() - began) / 1000)} s so far`)
  try {
    return await search
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    const verdict = error.message
    const finding = { name: 'the unchanged suite', outcome: 'failed', text: verdict } as const
    const empty = { style: 'red', facts: [], notes: [], next: [] } as const
    const sections = [{ title: 'Not judged', findings: [finding] }]
    const report = { command, verdict, ...empty, sections, data: dataOf(verdict) }
    if ((values.reporter ?? 'text') === 'text') await reportToGitHub(terminal, report)
    else await printReport(report, values, terminal)
    throw error
  } finally {
    end?.()
  }
}
