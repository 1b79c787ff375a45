import { printableJson, printableLines } from '../util/terminal.ts'
import type { RunCliCommand, Terminal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { openServer, type ServerOutput } from './open-server.ts'
import type { Values } from './options.ts'

export const serve: RunCliCommand = async (line, terminal, version) => {
  const { json, quiet } = line.values
  const server = await openServer(line, terminal, serverOutput(line.values, terminal), version)
  await new Promise<void>((resolve) => terminal.onStop(resolve))
  await server.close()
  if (!quiet) terminal.out(json ? '{"event":"stopped"}\n' : 'Stopped.\n')
  return exitCodes.success
}

/** With `--quiet`, standard output has only the address. */
const serverOutput = ({ json = false, quiet = false }: Values, terminal: Terminal): ServerOutput => ({
  ...terminal,
  logsRequests: !quiet,
  notice(text) {
    if (quiet) terminal.error(`plant-mock: ${printableLines(text)}\n`)
    else terminal.out(`${json ? printableJson({ event: 'notice', text }) : printableLines(text)}\n`)
  },
})
