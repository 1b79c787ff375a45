import { constants } from 'node:os'
import { shellWord } from '../util/shell.ts'
import { messageOf } from '../util/words.ts'
import { exitCodes } from './exit-codes.ts'
import type { CommandEnd } from './start-command.ts'

/** The exit code of a command as shells report it: 128 + N after signal N. */
export const exitCodeOf = ({ code, signal }: CommandEnd): number =>
  code ?? exitCodes.signal + (signal === null ? 0 : constants.signals[signal])

/** Why a command could not be started, and the exit code with which shells report that. */
export const startFailure = (
  words: readonly string[],
  error: unknown,
): { readonly code: number; readonly message: string } => {
  const [program = ''] = words
  const failed = `Failed to run ${shellWord(program)}:`
  const { code } = error as NodeJS.ErrnoException
  if (program === '') return { code: exitCodes.notFound, message: `${failed} the command is empty.` }
  if (code === 'ENOENT') return { code: exitCodes.notFound, message: `${failed} ${notFound(program, words)}` }
  const reason = code === 'EACCES' ? 'it is not an executable file, or its folder is locked.' : `${messageOf(error)}.`
  return { code: exitCodes.notExecutable, message: `${failed} ${reason}` }
}

const notFound = (program: string, words: readonly string[]): string => {
  if (/\s/.test(program))
    return `the command does not exist. Write its words without quotes: plant-mock run -- ${program}`
  // The system reports a missing interpreter, of the line #!, with the same error.
  if (program.includes('/')) return 'the file does not exist, or the interpreter that it names does not exist.'
  const command = words.map(shellWord).join(' ')
  return `the command does not exist. Put npx before a program of a package: plant-mock run -- npx ${command}`
}
