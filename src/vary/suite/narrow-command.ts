import { resolve } from 'node:path'
import { narrowedWords, nodeTest } from './command-runners.ts'

/**
 * The command that runs only some files of a test suite. Replaces the files in the command.
 * @param command - The words of a command: `['npx', 'vitest', 'run']`.
 * @param files - Test files, absolute or relative to `cwd`.
 * @param cwd - The working directory of the command.
 * @returns `undefined` when the command is not a test runner that takes files (`npm test`, a shell script), or has
 * options whose values cannot be told from files.
 */
export const narrowCommand = (
  command: readonly string[],
  files: readonly string[],
  cwd: string,
): readonly string[] | undefined => {
  if (files.length === 0) return undefined
  const start = afterLaunchers(command)
  const [program = '', ...words] = command.slice(start)
  const request = { files: files.map((file) => resolve(cwd, file)), cwd }
  const narrow = (skipped: number, runner: string | undefined) => {
    const narrowed = narrowedWords.get(runner ?? '')?.({ ...request, words: words.slice(skipped) })
    return narrowed && [...command.slice(0, start + 1 + skipped), ...narrowed]
  }

  const name = programName(program)
  if (/^python[\d.]*$/.test(name)) return words[0] === '-m' ? narrow(2, words[1]) : undefined
  if (name !== 'node') return narrow(0, name)
  const tests = nodeTest({ ...request, words })
  if (tests !== undefined) return [...command.slice(0, start + 1), ...tests]
  // node --enable-source-maps node_modules/mocha/bin/mocha.js
  const script = words.findIndex((word) => !word.startsWith('-'))
  return script === -1 || words.includes('--test') ? undefined : narrow(script + 1, scriptRunner(words[script]))
}

/** `/usr/bin/node`, `node_modules/.bin/vitest` and `node.exe` by their last part. */
const programName = (program: string): string =>
  (program.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:cmd|exe|ps1)$/i, '')

/** The runner of a script in `node_modules`, such as `node_modules/vitest/vitest.mjs`. */
const scriptRunner = (path = ''): string | undefined => {
  const parts = path.split(/[\\/]/)
  const [, folder, name] = /node_modules[\\/](?:@(playwright)[\\/]test|([\w.-]+))[\\/]/.exec(path) ?? []
  return name === '.bin' ? parts.at(-1) : (folder ?? name)
}

/** Programs that run the command after them, with the words that may follow them. */
const launchers: readonly (readonly [program: string, words: RegExp, needed?: RegExp])[] = [
  ['npx', /^(?:--no-install|--no|--yes|-y|--)$/],
  // Without --, npm takes the options of the runner for its own.
  ['npm', /^(?:exec|x|--no|--yes|-y|--)$/, /^--$/],
  ['pnpm', /^(?:exec|dlx|--)$/],
  ['yarn', /^(?:exec|dlx|run|--)$/],
  ['bunx', /^(?:--bun)$/],
  ['bun', /^(?:x|--bun)$/, /^x$/],
  ['uv', /^(?:run)$/, /^run$/],
  ['poetry', /^(?:run)$/, /^run$/],
  ['pipenv', /^(?:run)$/, /^run$/],
  ['env', /^\w+=/],
  ['cross-env', /^\w+=/],
]

/** The index of the first word that is not a launcher. */
const afterLaunchers = (command: readonly string[]): number => {
  for (let start = 0; ; ) {
    const launcher = launchers.find(([program]) => program === programName(command[start] ?? ''))
    if (launcher === undefined) return start
    const [, words, needed] = launcher
    let end = start + 1
    while (words.test(command[end] ?? '')) end++
    if (needed !== undefined && !command.slice(start + 1, end).some((word) => needed.test(word))) return start
    start = end
  }
}
