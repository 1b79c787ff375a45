import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeRegExp } from '../util/escape-reg-exp.ts'
import { type OptionTable, parseWords } from './command-words.ts'

type Request = {
  /** The words after the name of the runner. */
  readonly words: readonly string[]
  /** Absolute paths. */
  readonly files: readonly string[]
  readonly cwd: string
}

/** A runner that takes files as arguments. Returns the words after its name, or `undefined` when it cannot be sure. */
type NarrowedWords = (request: Request) => readonly string[] | undefined

const vitestOptions: OptionTable = {
  flags: [
    '--run',
    '--coverage',
    '--globals',
    '--dom',
    '--no-color',
    '--no-isolate',
    '--no-file-parallelism',
    '--no-coverage',
    '--no-watch',
    '--passWithNoTests',
    '--ui',
    '--watch',
    '--allowOnly',
    '-w',
  ],
  withValue: [
    '--reporter',
    '--config',
    '-c',
    '--root',
    '-r',
    '--dir',
    '--project',
    '--pool',
    '--testNamePattern',
    '-t',
    '--environment',
    '--testTimeout',
    '--hookTimeout',
    '--maxWorkers',
    '--retry',
    '--bail',
    '--mode',
    '--outputFile',
    '--shard',
    '--workspace',
  ],
  selecting: ['--changed', '--shard', '--mergeReports', '--merge-reports'],
}
const jestOptions: OptionTable = {
  flags: [
    '--runInBand',
    '-i',
    '--ci',
    '--coverage',
    '--verbose',
    '--silent',
    '--no-cache',
    '--no-coverage',
    '--watchAll',
    '--no-watchman',
    '--detectOpenHandles',
    '--forceExit',
    '--passWithNoTests',
    '--runTestsByPath',
    '--color',
    '--colors',
    '--no-color',
    '--expand',
    '-e',
    '--injectGlobals',
    '--json',
    '--logHeapUsage',
    '--randomize',
    '--updateSnapshot',
    '-u',
    '--useStderr',
    '--workerThreads',
    '--debug',
  ],
  withValue: [
    '--config',
    '-c',
    '--rootDir',
    '--maxWorkers',
    '-w',
    '--testNamePattern',
    '-t',
    '--testTimeout',
    '--maxConcurrency',
    '--env',
    '--testEnvironment',
    '--outputFile',
    '--seed',
    '--testRunner',
    '--cacheDirectory',
    '--coverageDirectory',
    '--coverageProvider',
    '--workerIdleMemoryLimit',
  ],
  selecting: [
    '--testPathPattern',
    '--testPathPatterns',
    '--testRegex',
    '--testMatch',
    '--onlyChanged',
    '-o',
    '--lastCommit',
    '--changedSince',
    '--changedFilesWithAncestor',
    '--findRelatedTests',
    '--onlyFailures',
    '-f',
    '--shard',
    '--listTests',
    '--watch',
    '--filter',
  ],
}
const playwrightOptions: OptionTable = {
  flags: [
    '--headed',
    '--forbid-only',
    '--fully-parallel',
    '--ignore-snapshots',
    '--no-deps',
    '--pass-with-no-tests',
    '--quiet',
    '-x',
    '--ui',
  ],
  withValue: [
    '--config',
    '-c',
    '--reporter',
    '--workers',
    '-j',
    '--retries',
    '--repeat-each',
    '--grep',
    '-g',
    '--grep-invert',
    '--timeout',
    '--global-timeout',
    '--max-failures',
    '--output',
    '--trace',
    '--browser',
    '--tsconfig',
  ],
  variadic: ['--project'],
  selecting: ['--last-failed', '--only-changed', '--shard', '--list', '--test-list'],
}
const mochaOptions: OptionTable = {
  flags: [
    '--recursive',
    '--parallel',
    '-p',
    '--bail',
    '-b',
    '--exit',
    '--check-leaks',
    '--color',
    '-c',
    '--no-color',
    '--colors',
    '--no-colors',
    '--forbid-only',
    '--forbid-pending',
    '--full-trace',
    '--allow-uncaught',
    '-A',
    '--async-only',
    '--inline-diffs',
    '--no-diff',
    '--diff',
    '--dry-run',
    '--enable-source-maps',
    '--no-config',
    '--no-package',
    '--no-parallel',
    '--experimental-vm-modules',
    '--delay',
  ],
  withValue: [
    '--timeout',
    '-t',
    '--slow',
    '-s',
    '--ui',
    '-u',
    '--reporter',
    '-R',
    '--reporter-option',
    '--reporter-options',
    '-O',
    '--require',
    '-r',
    '--import',
    '--loader',
    '--config',
    '--package',
    '--grep',
    '-g',
    '--fgrep',
    '-f',
    '--jobs',
    '-j',
    '--retries',
    '--extension',
    '--ignore',
    '--exclude',
    '--file',
  ],
  selecting: ['--spec', '--watch', '-w', '--opts', '--sort', '-S', '--list-interfaces', '--list-reporters'],
}
const pytestOptions: OptionTable = {
  flags: [
    '-q',
    '-qq',
    '--quiet',
    '-v',
    '-vv',
    '-vvv',
    '--verbose',
    '-x',
    '--exitfirst',
    '-s',
    '-l',
    '--showlocals',
    '--no-header',
    '--no-summary',
    '--strict-markers',
    '--strict-config',
    '--no-cov',
    '--cov',
    '-rA',
    '-ra',
  ],
  withValue: [
    '-k',
    '-m',
    '-n',
    '-p',
    '-o',
    '-c',
    '-W',
    '-r',
    '--maxfail',
    '--tb',
    '--junitxml',
    '--junit-xml',
    '--rootdir',
    '--confcutdir',
    '--basetemp',
    '--color',
    '--durations',
    '--timeout',
    '--import-mode',
    '--cov-report',
    '--ignore',
    '--ignore-glob',
    '--override-ini',
    '--log-level',
    '--log-cli-level',
    '--dist',
    '--numprocesses',
  ],
  selecting: [
    '--pyargs',
    '--lf',
    '--last-failed',
    '--ff',
    '--failed-first',
    '--sw',
    '--stepwise',
    '--collect-only',
    '--co',
    '--deselect',
  ],
}
const nodeOptions: OptionTable = {
  flags: [
    '--test',
    '--test-only',
    '--test-force-exit',
    '--no-warnings',
    '--enable-source-maps',
    '--trace-warnings',
    '--trace-uncaught',
    '--experimental-test-coverage',
    '--experimental-test-module-mocks',
    '--experimental-test-snapshots',
    '--experimental-vm-modules',
    '--experimental-strip-types',
    '--experimental-transform-types',
    '--expose-gc',
    '--preserve-symlinks',
    '--throw-deprecation',
    '--no-deprecation',
    '--test-update-snapshots',
  ],
  withValue: [
    '--import',
    '--require',
    '-r',
    '--loader',
    '--experimental-loader',
    '--conditions',
    '-C',
    '--env-file',
    '--env-file-if-exists',
    '--test-reporter',
    '--test-reporter-destination',
    '--test-name-pattern',
    '--test-skip-pattern',
    '--test-concurrency',
    '--test-timeout',
    '--test-isolation',
    '--experimental-test-isolation',
    '--stack-trace-limit',
  ],
  selecting: ['--watch', '--test-shard', '-e', '--eval', '-p', '--print', '--run', '--input-type', '-'],
}

/** The command without its files, and then these. */
const replaceFiles =
  (table: OptionTable): NarrowedWords =>
  ({ words, files }) => {
    const parsed = parseWords(words, table)
    return parsed && [...parsed.options, ...files]
  }

/** An absolute path selects the one file; the part of a path would also select others. */
const vitest: NarrowedWords = ({ words, ...rest }) => {
  const [first = ''] = words
  const hasCommand = /^(?:run|watch|dev)$/.test(first)
  if (/^(?:related|bench|list|init|typecheck)$/.test(first)) return undefined
  const narrowed = replaceFiles(vitestOptions)({ words: hasCommand ? words.slice(1) : words, ...rest })
  return narrowed && [...(hasCommand ? [first] : []), ...narrowed]
}

const jest: NarrowedWords = ({ words, files }) => {
  const parsed = parseWords(words, jestOptions)
  return parsed && [...parsed.options.filter((word) => word !== '--runTestsByPath'), '--runTestsByPath', ...files]
}

/** Playwright takes regular expressions of absolute paths; in front, because `--project` takes all words that follow. */
const playwright: NarrowedWords = ({ words: [command, ...words], files }) => {
  const parsed = command === 'test' ? parseWords(words, playwrightOptions) : undefined
  return parsed && ['test', ...files.map((file) => `^${escapeRegExp(file)}$`), ...parsed.options]
}

/** Mocha adds the files of its configuration to those of the command. */
const mocha: NarrowedWords = (request) => {
  const { words, cwd } = request
  if (words.some((word) => /^--(?:config|package)\b/.test(word)) || hasConfiguredFiles(cwd)) return undefined
  return replaceFiles(mochaOptions)(request)
}

const hasConfiguredFiles = (folder: string): boolean => {
  if (!existsSync(folder)) return false
  const texts = readdirSync(folder)
    .filter((name) => /^\.mocharc\./.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) texts.push(/"mocha"\s*:\s*\{[^}]*/.exec(readFileSync(manifest, 'utf8'))?.[0] ?? '')
  return texts.some((text) => /\bspec\b/.test(text))
}

/** `node --test`. From version 21 on, its arguments are glob patterns. */
export const nodeTest: NarrowedWords = ({ words, files, ...rest }) => {
  if (!words.includes('--test') || files.some((file) => /[*?[\]{}()!]/.test(file))) return undefined
  return replaceFiles(nodeOptions)({ words, files, ...rest })
}

/** The runners that take files, by the name of their program. */
export const narrowedWords: ReadonlyMap<string, NarrowedWords> = new Map([
  ['vitest', vitest],
  ['jest', jest],
  ['playwright', playwright],
  ['mocha', mocha],
  ['pytest', replaceFiles(pytestOptions)],
  ['py.test', replaceFiles(pytestOptions)],
])
