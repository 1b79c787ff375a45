import { printableJson, printableLines } from '../util/terminal.ts'
import type { RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { openServer } from './open-server.ts'

export const serve: RunCliCommand = async (line, terminal, version) => {
  const { json = false, quiet = false } = line.values
  const notice = (text: string): void => {
    if (quiet) terminal.error(`plant-mock: ${printableLines(text)}\n`)
    else terminal.out(`${json ? printableJson({ event: 'notice', text }) : printableLines(text)}\n`)
  }
  if (terminal.isFirstProcess) terminal.onStop(() => terminal.exit(exitCodes.success))
  const server = await openServer(line, terminal, { ...terminal, logsRequests: !quiet, notice }, version)
  await new Promise<void>((resolve) => terminal.onStop(resolve))
  await server.close()
  if (!quiet) terminal.out(json ? '{"event":"stopped"}\n' : 'Stopped.\n')
  return exitCodes.success
}
