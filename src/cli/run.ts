import { openSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { PlantMockError } from '../util/errors.ts'
import { withoutProxyTo } from '../util/proxy.ts'
import { shellWord } from '../util/shell.ts'
import { plain, printableLines } from '../util/terminal.ts'
import { messageOf, plural } from '../util/words.ts'
import { type CommandEnd, endsWithin, type StartedCommand, startCommand } from '../vary/suite/start-command.ts'
import { codeOfSignal, type RunCliCommand, type StopSignal, type Terminal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { openServer } from './open-server.ts'
import { buffered } from './terminal.ts'

export const run: RunCliCommand = async (line, terminal, version) => {
  const { rest: words } = line
  const values = { ...line.values, port: line.values.port ?? 0 }
  const notice = (text: string): void => terminal.error(`plant-mock: ${printableLines(text)}\n`)
  const { log: file, quiet = false } = values
  const log = file === undefined ? undefined : openLogFile(file, notice)
  // Writes the log to a file, and notices to standard error, because standard output belongs to the command.
  const output = {
    out: log?.out ?? (() => undefined),
    isSlow: () => false,
    error: terminal.error,
    paint: plain,
    logsRequests: log !== undefined && !quiet,
    notice,
  }
  const server = await openServer({ ...line, values }, terminal, output, version)
  const url = commandUrl(server.url)
  const environment = { ...withoutProxyTo(url, terminal.environment), PLANT_MOCK_URL: url }
  const code = await superviseCommand(words, environment, terminal, notice)
  try {
    await server.close()
  } catch (error) {
    notice(messageOf(error))
    return code || exitCodes.failure
  }
  if (file !== undefined && !quiet && log?.isLost() === false) notice(logSummary(file, server.requests()))
  return code
}

const logSummary = (file: string, requests: number): string =>
  requests > 0
    ? `${plural(requests, 'request')} in ${file}`
    : `No request reached the server, so ${file} lists none. A mock inside the tests has its own journal: mock.requests.all().`

const openLogFile = (file: string, onError: (text: string) => void) => {
  let descriptor: number
  try {
    descriptor = openSync(file, 'w')
  } catch (error) {
    throw new PlantMockError(`--log cannot write ${file}: ${messageOf(error)}.`)
  }
  let isLost = false
  const { out, flush } = buffered((text) => {
    if (isLost) return
    try {
      writeFileSync(descriptor, text)
    } catch (error) {
      isLost = true
      onError(`The log cannot be written, and is lost: ${messageOf(error)}.`)
    }
  })
  process.once('exit', flush)
  return { out, isLost: () => isLost }
}

export const commandUrl = (url: string): string =>
  url.replace(/\/\/0\.0\.0\.0(?=:|$)/, '//127.0.0.1').replace('//[::]', '//[::1]')

/** Milliseconds that other processes of the group may outlive the command, with more time for cleanup after SIGINT. */
const gracePeriod = { default: 100, interrupted: 3_000 }

export const superviseCommand = async (
  words: readonly string[],
  environment: Terminal['environment'],
  terminal: Pick<Terminal, 'exit' | 'isAtTerminal' | 'onSignal'>,
  notice: (text: string) => void,
): Promise<number> => {
  const sharesGroup = terminal.isAtTerminal()
  let lastSignal: StopSignal | undefined
  const starting = startCommand(words, { environment, stdio: 'inherit', sharesGroup })
  terminal.onSignal((signal) => {
    lastSignal = signal
    starting.then((started) => passOn(signal, started, sharesGroup)).catch(() => undefined)
  })
  const exitAtOnce = () => terminal.onSignal((signal) => terminal.exit(codeOfSignal[signal]))
  return starting.then(
    async (started) => {
      const killAll = () => started.group.signal('SIGKILL')
      // Kills the command if plant-mock exits early, for example by `process.exit` in a module of --handlers.
      process.once('exit', killAll)
      const code = exitCodeOf(await started.ended)
      exitAtOnce()
      await endRest(started, lastSignal, notice)
      process.removeListener('exit', killAll)
      return code
    },
    (error: unknown) => {
      exitAtOnce()
      const { code, message } = startFailure(words, error)
      notice(message)
      return code
    },
  )
}

/** Sends only SIGINT to the whole group: npm forwards other signals, and many programs exit at a second signal. */
const passOn = (signal: StopSignal, { child, group }: StartedCommand, sharesGroup: boolean): void => {
  // Sends nothing on Windows, where the console reports Ctrl-C and a closed window to all processes.
  if (process.platform === 'win32') return
  if (signal !== 'SIGINT') child.kill(signal)
  else if (!sharesGroup) group.signal(signal)
}

const endRest = async (
  { group, end }: StartedCommand,
  lastSignal: StopSignal | undefined,
  notice: (text: string) => void,
): Promise<void> => {
  if (await endsWithin(group, lastSignal === 'SIGINT' ? gracePeriod.interrupted : gracePeriod.default)) return
  const count = group.size()
  await end()
  if (lastSignal === undefined && count > 0)
    notice(`Ended ${count === 1 ? 'a process' : `${count} processes`} that the command left running.`)
}

export const exitCodeOf = ({ code, signal }: CommandEnd): number =>
  code ?? exitCodes.signal + (signal === null ? 0 : constants.signals[signal])

export const startFailure = (
  words: readonly string[],
  error: unknown,
): { readonly code: number; readonly message: string } => {
  const [program = ''] = words
  const failed = `Failed to run ${shellWord(program)}:`
  const { code } = error as NodeJS.ErrnoException
  if (program === '') return { code: exitCodes.notFound, message: `${failed} the command is empty.` }
  if (code === 'ENOENT') return { code: exitCodes.notFound, message: `${failed} ${notFound(program, words)}` }
  const reason =
    code === 'EACCES' ? 'it is not an executable file, or its folder denies access.' : `${messageOf(error)}.`
  return { code: exitCodes.notExecutable, message: `${failed} ${reason}` }
}

const notFound = (program: string, words: readonly string[]): string => {
  if (/\s/.test(program))
    return `the command does not exist. Write its words without quotes: plant-mock run -- ${program}`
  if (program.includes('/')) return 'the file does not exist, or the interpreter that it names does not exist.'
  const command = words.map(shellWord).join(' ')
  return `the command does not exist. Put npx before a program of a package: plant-mock run -- npx ${command}`
}
