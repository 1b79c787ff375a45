import { openSync, writeFileSync } from 'node:fs'
import { PlantMockError } from '../util/errors.ts'
import { withoutProxyTo } from '../util/proxy.ts'
import { plain, printableLines } from '../util/terminal.ts'
import { messageOf, plural } from '../util/words.ts'
import type { RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { openServer } from './open-server.ts'
import { superviseCommand } from './supervise-command.ts'
import { buffered } from './terminal.ts'

export const run: RunCliCommand = async (line, terminal, version) => {
  const { rest: words } = line
  const values = { ...line.values, port: line.values.port ?? 0 }
  const notice = (text: string): void => terminal.error(`plant-mock: ${printableLines(text)}\n`)
  const { log: file, quiet = false } = values
  const log = file === undefined ? undefined : openLogFile(file, notice)
  // Standard output belongs to the command, so the log goes to a file and notices to standard error.
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

/** After an error, the server continues without the log. */
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

/** A server at `0.0.0.0` or `[::]` is bound to all addresses, including loopback. */
export const commandUrl = (url: string): string =>
  url.replace(/\/\/0\.0\.0\.0(?=:|$)/, '//127.0.0.1').replace('//[::]', '//[::1]')
