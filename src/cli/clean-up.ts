import { spawn } from 'node:child_process'
import type { CreatedPlant } from '../verify/created-plant.ts'
import type { Terminal } from './command.ts'

/**
 * Runs the command of `--cleanup` in a shell, with the created plants on its standard input as NDJSON. Its output goes
 * to standard error, so that a report on standard output stays whole.
 * @returns Whether it succeeded; true when there is nothing to do.
 */
export const cleanUp = async (
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
