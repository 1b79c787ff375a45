import { checkBasePath } from '../server/control/paths.ts'
import { allCommands, type CliCommand } from './commands.ts'
import * as parsers from './option-values.ts'

export type OptionValue = {
  readonly name: string
  /** Allows the option without a value: `--check` as well as `--check=strict`. */
  readonly optional?: true
  /** Allows several values, which the environment variable separates by commas. */
  readonly repeatable?: true
  /** An empty environment variable is an error, instead of counting as unset. */
  readonly isNeverEmpty?: true
  readonly parse?: parsers.ParseValue<unknown>
}

type OptionRow = {
  readonly short?: string
  readonly value?: OptionValue
  readonly help: string
  readonly helpFor?: Readonly<Partial<Record<CliCommand, string>>>
  readonly commands?: readonly CliCommand[]
}

const seed = parsers.integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'a whole number')
const seconds = parsers.integer(1, 86_400, 'a number of seconds from 1 to 86400')

const file = { name: 'FILE' } as const

const under = <const Rows extends Readonly<Record<string, OptionRow>>>(
  heading: Option['heading'],
  commands: readonly CliCommand[],
  rows: Rows,
): { readonly [Name in keyof Rows]: Rows[Name] & Pick<Option, 'heading' | 'commands'> } =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { heading, commands, ...row }])) as never

const options = {
  ...under('The server', ['serve', 'run'], {
    port: {
      short: 'p',
      value: { name: 'PORT', parse: parsers.integer(0, 65_535, 'a port from 0 to 65535') },
      help: 'Port to listen on; 0 selects any free port. Default: 4010',
      helpFor: {
        run: 'Port of the mock server. Default: any free port',
        vary: 'Port of the mock server. Default: any free port',
        mutate: 'Port of the mock server. Default: any free port',
      },
      commands: ['serve', 'run', 'vary', 'mutate'],
    },
    host: {
      short: 'H',
      value: { name: 'ADDRESS' },
      help: 'Address to bind; 0.0.0.0 for other machines. Default: 127.0.0.1',
    },
    'base-path': {
      value: { name: 'PATH', parse: checkBasePath },
      help: "Path of the service's base URL, such as /api/v1",
      commands: ['serve', 'run', 'vary', 'mutate'],
    },
    handlers: { value: file, help: 'Module that exports msw handlers, which run before the mock' },
    cert: { value: file, help: 'Serve HTTPS with this certificate (PEM); needs --key' },
    key: { value: file, help: 'Private key of --cert (PEM)' },
    'control-key': {
      value: { name: 'KEY', parse: parsers.controlKey },
      help: 'Require this key at /__plant-mock/, and allow other machines that send the key',
    },
  }),
  ...under('Plants and callers', ['serve', 'run'], {
    fixtures: {
      value: { name: 'NAME|FILE', repeatable: true },
      help: 'Plants at the start: garden, empty, crowded, edge-cases, or a .json, .ndjson, .yaml or .har file. Default: garden',
      commands: ['serve', 'run', 'vary', 'mutate', 'diff'],
    },
    watch: { help: 'Reload the files of --fixtures, --handlers, --assumptions and --persist when they change' },
    persist: { value: file, help: 'Keep plants in this .ndjson file; if it has none, start with --fixtures' },
    plants: {
      value: { name: 'N', parse: parsers.integer(0, 10_000_000, 'a number of plants from 0 to 10000000') },
      help: 'Generate N plants, in addition to --fixtures or instead of garden',
      helpFor: { generate: 'Number of plants. Default: 10' },
      commands: ['serve', 'run', 'vary', 'mutate', 'generate'],
    },
    seed: {
      value: { name: 'N', parse: seed },
      help: 'Seed of generated plants and random choices. Default: 1',
      helpFor: { verify: 'Seed of random requests that compare mock and service. Default: 1' },
      commands: ['serve', 'run', 'vary', 'mutate', 'verify', 'generate'],
    },
    token: {
      value: { name: 'TOKEN', repeatable: true, parse: parsers.token },
      help: 'Accept only this bearer token and tokens in fixtures; assign each generated plant to a token',
      helpFor: {
        verify: 'Bearer token of the caller that lists and creates plants',
        diff: 'If OLD or NEW is a URL: bearer token of the caller that lists and creates plants',
        generate: 'Token of a caller; each plant belongs to one of the given tokens (repeatable)',
      },
      commands: ['serve', 'run', 'vary', 'mutate', 'verify', 'diff', 'generate'],
    },
    'tokens-map': { value: file, help: 'JSON file of names and tokens, such as {"caller-1":"TOKEN"}; keep it secret' },
  }),
  ...under('Behaviour', ['serve', 'run', 'vary', 'mutate', 'verify', 'assumptions', 'contract'], {
    assume: {
      value: { name: 'ID=VALUE', repeatable: true },
      help: 'Set an assumption, e.g. create.status=200; "plant-mock assumptions" lists them',
      commands: ['serve', 'run', 'vary', 'mutate', 'verify', 'diff', 'assumptions', 'contract'],
    },
    assumptions: {
      value: file,
      help: 'Read assumptions from a JSON file, e.g. of verify --learn, an OpenAPI document or a HAR file',
    },
  }),
  ...under('Failures', ['serve', 'run'], {
    latency: {
      value: { name: 'MS|MIN-MAX', parse: parsers.latency },
      help: 'Delay each response by milliseconds, or a random range',
    },
    'fail-rate': {
      value: { name: 'SHARE', parse: parsers.share },
      help: 'Respond with 503 to a random share of requests, from 0 to 1',
    },
  }),
  ...under('A real service', ['serve', 'run'], {
    upstream: {
      value: { name: 'URL' },
      help: 'Forward requests to this real service, including WebSockets',
    },
    'upstream-for': {
      value: { name: 'rest|all', parse: parsers.oneOf('rest', 'all') },
      help: 'Forward requests outside of the contract (rest), or all requests (all). Default: rest',
    },
    'allow-origin': {
      value: { name: 'ORIGIN', repeatable: true, parse: parsers.origin },
      help: 'Let pages of this origin send credentials, and reach the upstream; pages on this machine always reach it',
    },
    check: {
      value: { name: 'report|strict', optional: true, parse: parsers.checkMode },
      help: 'Check the upstream against the contract; report (default) logs violations, strict responds with 502',
    },
    record: { value: file, help: 'Save the exchanges with the upstream to a HAR file, with names instead of tokens' },
  }),
  ...under('Shared state', ['serve', 'run'], {
    store: {
      // Refuses an empty PLANT_MOCK_STORE, which would silently start a mock that is not shared.
      value: { name: 'URL', isNeverEmpty: true },
      help: 'Share the state in Valkey or Redis: redis://HOST:6379/0, rediss:// for TLS, or unix:/path/to/socket. Prefer PLANT_MOCK_STORE: process lists show arguments',
    },
    'store-name': { value: { name: 'NAME' }, help: 'Name of the mock in --store. Default: default' },
    'store-reset': { help: 'Delete the state of this mock in --store, and start again' },
  }),
  ...under('The search', ['vary'], {
    thorough: { help: 'Include less common values and assumptions' },
    only: {
      value: { name: 'ID[=VALUE]', repeatable: true },
      help: 'Vary only this assumption, or this value of it',
      helpFor: { mutate: 'Serve only this mutant, such as list.extraPlant' },
      commands: ['vary', 'mutate'],
    },
    accept: {
      value: file,
      help: 'Accept the alternatives or mutants in this file, one per line; # begins a reason',
      commands: ['vary', 'mutate'],
    },
    update: { help: 'Write current findings to the file of --accept, and exit with 0', commands: ['vary', 'mutate'] },
    jobs: {
      value: { name: 'N', parse: parsers.integer(1, 64, 'a number from 1 to 64') },
      help: 'Number of parallel runs, each with its own server. Default: 1',
      commands: ['vary', 'mutate', 'diff'],
    },
  }),
  ...under('The check', ['verify', 'diff'], {
    'other-token': {
      value: { name: 'TOKEN', parse: parsers.token },
      help: 'Bearer token of a second caller, which must not see plants of the first',
    },
    plant: {
      value: { name: 'JSON', parse: parsers.samplePlant },
      help: 'A plant that the service accepts, e.g. {"tag":"indoor","id":1000} for ids from 1000 on. Default: any name and tag',
    },
    'read-only': { help: 'Create no plants, and skip checks that need plants' },
    yes: { help: 'Allow plants to be created at a service on another machine' },
    learn: {
      value: file,
      help: 'Write observations to a JSON file for --assumptions and --expect; keeps unchanged entries',
      commands: ['verify'],
    },
    expect: {
      value: file,
      help: 'Compare the service with a file of --learn; exit with 4 if something changed',
      commands: ['verify'],
    },
    header: {
      value: { name: 'NAME:VALUE', repeatable: true, parse: parsers.header },
      help: 'Send this header with every request',
    },
  }),
  ...under('Output', ['serve', 'run'], {
    results: {
      value: { name: 'FILE', repeatable: true },
      help: 'For other test runners, such as pytest: JUnit reports of the command (file, folder or pattern); deleted before each run',
      commands: ['vary', 'mutate', 'diff'],
    },
    timeout: {
      value: { name: 'SECONDS', parse: seconds },
      help: 'Maximum time for a run. Default: ten times the baseline run, at least 60. The baseline run stops after 60 seconds without output',
      helpFor: {
        serve: 'Maximum time for a response of the upstream. Default: 30',
        run: 'Maximum time for a response of the upstream. Default: 30',
        verify: 'Maximum time for a response, and for a created plant to appear in lists. Default: 10',
        diff: 'Maximum time for a response, and for a created plant to appear in lists. Default: 10',
      },
      commands: ['serve', 'run', 'vary', 'mutate', 'verify', 'diff'],
    },
    out: {
      value: file,
      help: 'Write values from the sources to a JSON file for --assumptions and --expect',
      commands: ['learn'],
    },
    reporter: {
      value: { name: 'NAME', parse: parsers.oneOf('text', 'json', 'junit') },
      help: 'Format of the report: text, json (mutate: the schema of Stryker) or junit. Default: text',
      commands: ['vary', 'mutate', 'verify', 'diff', 'learn'],
    },
    threshold: {
      value: { name: 'PERCENT', parse: parsers.integer(0, 100, 'a number from 0 to 100') },
      help: 'The minimum score to succeed. Default: 100',
      commands: ['mutate'],
    },
    verbose: { help: 'Also print expected results, and long lists in full', commands: ['verify', 'vary'] },
    log: { value: file, help: 'Write the log to this file, which is truncated first', commands: ['run'] },
    quiet: { help: 'Print only the address; log no requests', helpFor: { run: 'Log no requests' } },
    json: {
      help: 'Print the log as JSON, one object per line',
      helpFor: { run: 'Write --log as JSON, one object per line', assumptions: 'Print as JSON' },
      commands: ['serve', 'run', 'assumptions'],
    },
  }),
  ...under('Others', allCommands, {
    help: { short: 'h', help: 'Show this help' },
    version: { short: 'v', help: 'Show the version' },
  }),
}

type Rows = typeof options

type ParsedValue<V> = V extends { parse: parsers.ParseValue<infer T> } ? T : string

type ParsedOption<Row> = Row extends { value: infer V }
  ? V extends { repeatable: true }
    ? readonly ParsedValue<V>[]
    : ParsedValue<V>
  : boolean

export type Values = { readonly [Name in keyof Rows]?: ParsedOption<Rows[Name]> }

export type Option = OptionRow & {
  readonly heading: string
  readonly commands: readonly CliCommand[]
}

export const optionRows: ReadonlyMap<string, Option> = new Map(Object.entries<Option>(options))

export const needsValue = ({ value }: Option): boolean => value !== undefined && !value.optional

export const optionsOf = (command: CliCommand): readonly (readonly [name: string, option: Option])[] =>
  [...optionRows].filter(([, option]) => option.commands.includes(command))

export const variableOf = (name: string): string => `PLANT_MOCK_${name.replaceAll('-', '_').toUpperCase()}`

export const flagText = (name: string, { value }: Option): string => {
  if (value === undefined) return `--${name}`
  return value.optional ? `--${name}[=${value.name}]` : `--${name} ${value.name}`
}

export const optionHelp = ({ value, help, helpFor }: Option, command: CliCommand): string =>
  helpFor?.[command] ?? `${help}${value?.repeatable ? ' (repeatable)' : ''}`
