import type { StopSignal, Terminal } from '../../src/cli/command.ts'
import { main } from '../../src/cli/main.ts'
import { plain } from '../../src/util/terminal.ts'
import type { RunSuite } from '../../src/vary/suite/run-suite.ts'
import { collectOutput } from './output.ts'

export type Finished = { readonly code: number; readonly out: string; readonly error: string }

export type RunningCommand = {
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly finished: Promise<Finished>
  readonly stop: (signal: StopSignal) => void
}

type Options = {
  readonly env?: Readonly<Record<string, string>>
  readonly runSuite?: RunSuite
  readonly width?: number
} & Pick<Terminal, 'whileWaiting'>

export const runCommandLine = (
  args: readonly string[],
  { env = {}, runSuite, width = 1000, whileWaiting }: Options = {},
): RunningCommand => {
  const { text, collect, printed } = collectOutput()
  let listener: ((signal: StopSignal) => void) | undefined
  const terminal: Terminal = {
    out: collect('out'),
    error: collect('error'),
    isSlow: () => false,
    environment: env,
    paint: plain,
    width,
    interactive: false,
    whileWaiting,
    exit: () => undefined,
    isAtTerminal: () => false,
    onSignal: (listen) => {
      listener = listen
    },
    onStop: (stop) => {
      listener = stop
    },
    wait: async () => undefined,
    ...(runSuite && { runSuite }),
  }
  const finished = main(args, terminal).then((code) => ({ code, ...text }))
  return { printed: (pattern) => printed(pattern, finished), finished, stop: (signal) => listener?.(signal) }
}

export const finish = (args: readonly string[], options?: Options): Promise<Finished> =>
  runCommandLine(args, options).finished

export const serve = async (args: readonly string[] = []) => {
  const { printed, finished, stop } = runCommandLine(['--port', '0', '--quiet', ...args])
  const [, url = ''] = await printed(/(http:\/\/[\d.[\]:]+)/)
  const close = async (): Promise<void> => {
    stop('SIGTERM')
    await finished
  }
  return { url, close }
}
