import {
  checkMode,
  controlKey,
  header,
  integer,
  isOn,
  latency,
  oneOf,
  type ParseValue,
  share,
  text,
  token,
} from './option-values.ts'

/** Every command with its description in the help. */
export const commands = {
  serve: 'Serve the mock over HTTP (default command)',
  vary: 'Run a test suite under each alternative of each assumption and report which ones break it',
  verify: 'Check a live service against the contract and compare it with the assumptions',
  generate: 'Print a fixture file of generated plants',
  assumptions: 'Print every assumption with its current value and its alternatives',
  contract: 'Print sections of the contract, or without SECTION the OpenAPI 3.1 document of the mock',
} as const

export type Command = keyof typeof commands

/** The arguments of a command besides its options. */
export type Operands = {
  /** Their name in the help. */
  readonly name: string
  readonly min: number
  readonly max: number
}

const noOperands: Operands = { name: '', min: 0, max: 0 }

export const operands: Readonly<Record<Command, Operands>> = {
  serve: noOperands,
  vary: noOperands,
  verify: { name: 'URL', min: 1, max: 1 },
  generate: noOperands,
  assumptions: noOperands,
  contract: { name: 'SECTION', min: 0, max: Number.POSITIVE_INFINITY },
}

/** One option: the command line, environment variables, help and option table derive from it. */
export type Option = {
  /** The letter of the short form, such as `p` for `-p`. */
  readonly short?: string
  /** The name of the value in the help; an option without one is a switch. */
  readonly argument?: string
  /** The value may be left out: `--check` as well as `--check=strict`. */
  readonly optional?: true
  /** May be given several times; its environment variable holds several values, separated by commas. */
  readonly repeatable?: true
  readonly help: string
  /** Replaces `help` for commands with which the option means something else. */
  readonly helpFor?: Readonly<Partial<Record<Command, string>>>
  /** The commands that take the option. */
  readonly commands: readonly Command[]
  readonly parse: ParseValue<unknown>
}

const allCommands = Object.keys(commands) as Command[]
const plantCount = integer(0, 10_000_000, 'a number of plants from 0 to 10000000')
const seed = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'a whole number')
const seconds = integer(1, 86_400, 'a number of seconds from 1 to 86400')

const options = {
  port: {
    short: 'p',
    argument: 'PORT',
    help: 'Port to listen on; 0 selects any free port. Default: 4010',
    helpFor: { vary: 'Port of the mock server. Default: any free port' },
    commands: ['serve', 'vary'],
    parse: integer(0, 65_535, 'a port from 0 to 65535'),
  },
  host: {
    short: 'H',
    argument: 'ADDRESS',
    help: 'Address to bind; 0.0.0.0 accepts connections from other machines. Default: 127.0.0.1',
    commands: ['serve'],
    parse: text,
  },
  fixtures: {
    argument: 'NAME|FILE',
    repeatable: true,
    help: 'Initial plants: garden, empty, crowded, edge-cases, or a .json or .ndjson file. Default: garden',
    commands: ['serve', 'vary'],
    parse: text,
  },
  watch: {
    help: 'Reload the files of --fixtures, --handlers or --persist when they change; an invalid file keeps the previous content',
    commands: ['serve'],
    parse: isOn,
  },
  persist: {
    argument: 'FILE',
    help: 'Store plants in this .ndjson file; a create responds after its plant is written. Plants in the file are served; --fixtures fill a new file, and a reset restores them',
    commands: ['serve'],
    parse: text,
  },
  plants: {
    argument: 'N',
    help: 'Generate N plants, instead of garden or in addition to --fixtures',
    helpFor: { generate: 'Number of plants. Default: 10' },
    commands: ['serve', 'vary', 'generate'],
    parse: plantCount,
  },
  seed: {
    argument: 'N',
    help: 'Seed of generated plants and random choices; the same seed gives the same result. Default: 1',
    commands: ['serve', 'vary', 'generate'],
    parse: seed,
  },
  token: {
    argument: 'TOKEN',
    repeatable: true,
    help: 'Accept only this bearer token and those that fixtures name; each generated plant belongs to one of them',
    helpFor: {
      verify: 'Bearer token of the caller that lists and creates plants',
      generate: 'Assign each plant to one of these tokens (repeatable)',
    },
    commands: ['serve', 'vary', 'verify', 'generate'],
    parse: token,
  },
  assume: {
    argument: 'ID=VALUE',
    repeatable: true,
    help: 'Set an assumption, e.g. create.status=200; "plant-mock assumptions" lists them',
    commands: ['serve', 'vary', 'verify', 'assumptions', 'contract'],
    parse: text,
  },
  assumptions: {
    argument: 'FILE',
    help: 'Read assumptions from a JSON file, e.g. one written by verify --learn; --assume takes precedence',
    commands: ['serve', 'vary', 'verify', 'assumptions', 'contract'],
    parse: text,
  },
  'assumption-seed': {
    argument: 'SEED',
    help: 'Choose a value for every assumption from a seed; --assumptions and --assume take precedence',
    commands: ['serve', 'assumptions', 'contract'],
    parse: seed,
  },
  latency: {
    argument: 'MS|MIN-MAX',
    help: 'Delay each response by this many milliseconds, or by a random number in a range',
    commands: ['serve'],
    parse: latency,
  },
  'fail-rate': {
    argument: 'SHARE',
    help: 'Respond with 503 to a random share of the requests, a number from 0 to 1',
    commands: ['serve'],
    parse: share,
  },
  upstream: {
    argument: 'URL',
    help: 'Forward requests that the mock does not serve to a real service, including WebSockets',
    commands: ['serve'],
    parse: text,
  },
  'upstream-for': {
    argument: 'rest|all',
    help: 'rest: forward everything except the operations of the contract; all (or plants): forward these too. Default: rest',
    commands: ['serve'],
    parse: oneOf('rest', 'plants', 'all'),
  },
  'upstream-timeout': {
    argument: 'SECONDS',
    help: 'Maximum time for a response of the upstream. Default: 30',
    commands: ['serve'],
    parse: seconds,
  },
  check: {
    argument: 'report|strict',
    optional: true,
    help: 'Check exchanges with the upstream against the contract; report (default) logs violations, strict also responds with 502',
    commands: ['serve'],
    parse: checkMode,
  },
  record: {
    argument: 'FILE',
    help: 'Save the plants that the upstream returns to a fixture file, with names of callers instead of tokens',
    commands: ['serve'],
    parse: text,
  },
  'tokens-map': {
    argument: 'FILE',
    help: 'JSON file with names of callers and their tokens, such as {"caller-1":"TOKEN"}; keep it secret',
    commands: ['serve'],
    parse: text,
  },
  fallback: {
    help: 'Serve the operations of the contract from the mock while the upstream is unreachable',
    commands: ['serve'],
    parse: isOn,
  },
  handlers: {
    argument: 'FILE',
    help: 'Module that exports msw handlers, which run before the mock',
    commands: ['serve'],
    parse: text,
  },
  cert: {
    argument: 'FILE',
    help: 'Serve HTTPS with this certificate (PEM); needs --key',
    commands: ['serve'],
    parse: text,
  },
  key: {
    argument: 'FILE',
    help: 'Private key of --cert (PEM)',
    commands: ['serve'],
    parse: text,
  },
  coverage: {
    argument: 'FILE',
    help: 'At exit, print which outcomes of the contract occurred and write them to a JSON file',
    commands: ['serve'],
    parse: text,
  },
  'control-key': {
    argument: 'KEY',
    help: 'Require this key at /__plant-mock/, and allow other machines to use it',
    commands: ['serve'],
    parse: controlKey,
  },
  pairs: {
    help: 'Cover any two values of any two assumptions in a few runs, instead of one run per alternative',
    commands: ['vary'],
    parse: isOn,
  },
  thorough: {
    help: 'Include the rare alternatives, which break almost every client',
    commands: ['vary'],
    parse: isOn,
  },
  only: {
    argument: 'ID[=VALUE]',
    repeatable: true,
    help: 'Vary only this assumption, or try only this value of it',
    commands: ['vary'],
    parse: text,
  },
  jobs: {
    argument: 'N',
    help: 'Number of parallel runs, each with its own server. Default: 1',
    commands: ['vary'],
    parse: integer(1, 64, 'a number from 1 to 64'),
  },
  'no-server': {
    help: 'Start no server; only mocks inside the test suite vary',
    commands: ['vary'],
    parse: isOn,
  },
  timeout: {
    argument: 'SECONDS',
    help: 'Maximum time for a run, after which it fails. Default: ten times the baseline run, at least 60',
    helpFor: { verify: 'Maximum time for a response. Default: 10' },
    commands: ['vary', 'verify'],
    parse: seconds,
  },
  output: {
    argument: 'FOLDER',
    help: 'Folder for the output of failed runs. Default: a new temporary folder',
    commands: ['vary'],
    parse: text,
  },
  reporter: {
    argument: 'NAME',
    help: 'Format of the report on standard output: text, json or junit. Default: text',
    commands: ['vary', 'verify'],
    parse: oneOf('text', 'json', 'junit'),
  },
  'other-token': {
    argument: 'TOKEN',
    help: 'Bearer token of a second caller, to check that callers do not see plants of each other',
    commands: ['verify'],
    parse: token,
  },
  'read-only': {
    help: 'Create no plants; checks that need them are skipped',
    commands: ['verify'],
    parse: isOn,
  },
  yes: {
    help: 'Confirm that plants may be created at a service on another machine',
    commands: ['verify'],
    parse: isOn,
  },
  learn: {
    argument: 'FILE',
    help: 'Write the observed values to a JSON file, which --assumptions reads',
    commands: ['verify'],
    parse: text,
  },
  header: {
    argument: 'NAME:VALUE',
    repeatable: true,
    help: 'Send this header with every request',
    commands: ['verify'],
    parse: header,
  },
  quiet: { help: 'Print only the address; log no requests', commands: ['serve'], parse: isOn },
  json: {
    help: 'Print the log as JSON, one object per line',
    helpFor: { assumptions: 'Print as JSON' },
    commands: ['serve', 'assumptions'],
    parse: isOn,
  },
  help: { short: 'h', help: 'Show this help', commands: allCommands, parse: isOn },
  version: { short: 'v', help: 'Show the version', commands: allCommands, parse: isOn },
} as const satisfies Record<string, Option>

type OptionName = keyof typeof options

type ValueOf<N extends OptionName> = (typeof options)[N] extends { repeatable: true }
  ? readonly ReturnType<(typeof options)[N]['parse']>[]
  : ReturnType<(typeof options)[N]['parse']>

/** The parsed value of each option, from its flag or its environment variable; absent when neither is set. */
export type Values = { readonly [N in OptionName]?: ValueOf<N> }

export type Reporter = ValueOf<'reporter'>

/** The options by name, in the order of the help. */
export const optionRows: ReadonlyMap<string, Option> = new Map(Object.entries<Option>(options))

/** The environment variable of an option: `PLANT_MOCK_PORT` for `port`. */
export const variableOf = (name: string): string => `PLANT_MOCK_${name.replaceAll('-', '_').toUpperCase()}`

/** An option as the help writes it, with its value: `--port PORT`, `--check[=report|strict]`. */
export const flagText = (name: string, { argument, optional }: Option): string => {
  if (argument === undefined) return `--${name}`
  return optional ? `--${name}[=${argument}]` : `--${name} ${argument}`
}

/** The description of an option for a command. */
export const optionHelp = ({ help, helpFor, repeatable }: Option, command: Command): string =>
  helpFor?.[command] ?? `${help}${repeatable ? ' (repeatable)' : ''}`
