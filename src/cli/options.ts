import { isBearerToken } from '../contract/schemas.ts'
import { PlantMockError } from '../util/errors.ts'

/** Every command, with the line that says what it does. */
export const commands = {
  serve: 'Serve the mock over HTTP (the default command)',
  vary: 'Run a test suite under each alternative of what the mock assumes, and name what breaks it',
  verify: 'Check a live service against the contract, and find out what it does at the open points',
  generate: 'Print generated fixtures',
  assumptions: 'Print what the mock assumes where the contract leaves a point open',
  contract: 'Print the OpenAPI 3.1 document of the service as the mock plays it',
} as const

export type Command = keyof typeof commands

type Option = {
  readonly short?: string
  /** The name of the value in the help; without one the option is a switch. */
  readonly argument?: string
  /** The value may be left out: `--check` as well as `--check=strict`. */
  readonly optional?: true
  readonly repeatable?: true
  readonly help: string
  /** Where the option means something else with a command, its help there. */
  readonly helpWith?: Readonly<Partial<Record<Command, string>>>
  readonly commands: readonly Command[]
  /** Turns the text into a value. Throws PlantMockError with a sentence that begins with the option's name. */
  readonly read: (text: string, name: string) => unknown
}

const text = (value: string): string => value
const isOn = (value: string): boolean => !['', '0', 'false'].includes(value)

const integer =
  (min: number, max: number, what: string) =>
  (value: string, name: string): number => {
    const number = Number(value)
    if (!/^-?\d+$/.test(value) || number < min || number > max)
      throw new PlantMockError(`${name} must be ${what}, not "${value}".`)
    return number
  }

const token = (value: string, name: string): string => {
  if (isBearerToken(value)) return value
  throw new PlantMockError(
    `A value of ${name} is not a bearer token. It may have letters, digits and -._~+/, then any number of =.`,
  )
}

const plantCount = integer(0, 10_000_000, 'a number of plants from 0 to 10000000')
const seed = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'a whole number')
const everywhere = ['serve', 'vary', 'verify', 'generate', 'assumptions', 'contract'] as const

/** What a command takes beside options: `verify URL`. */
export const operands: Readonly<Partial<Record<Command, string>>> = { verify: 'URL' }

const header = (value: string, name: string): readonly [string, string] => {
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(value)
  if (match === null)
    throw new PlantMockError(`${name} must be written as NAME:VALUE, such as X-Team:frontend.`)
  return [match[1] ?? '', match[2] ?? '']
}
const oneOf =
  <T extends string>(...known: readonly T[]) =>
  (value: string, name: string): T => {
    const found = known.find((word) => word === value)
    if (found !== undefined) return found
    throw new PlantMockError(`${name} must be one of ${known.join(', ')}, not "${value}".`)
  }

const reporter = oneOf('text', 'json', 'junit')
export type Reporter = ReturnType<typeof reporter>

/** A switch that can say more; what is on is `report`. */
const checkMode = (value: string, name: string) =>
  isOn(value) && ['true', '1'].includes(value) ? 'report' : oneOf('report', 'strict')(value, name)

const latency = (value: string, name: string): number | readonly [number, number] => {
  const [, min, max] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(value) ?? []
  if (min === undefined || (max !== undefined && Number(max) < Number(min)))
    throw new PlantMockError(
      `${name} must be milliseconds such as 300, or a range such as 100-800, not "${value}".`,
    )
  return max === undefined ? Number(min) : [Number(min), Number(max)]
}

const share = (value: string, name: string): number => {
  if (!/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(value))
    throw new PlantMockError(`${name} must be a share from 0 to 1, such as 0.1, not "${value}".`)
  return Number(value)
}

/** The key stays out of the message: it is a secret. */
const controlKey = (value: string, name: string): string => {
  if (/^[\x21-\x7E]{8,}$/.test(value)) return value
  throw new PlantMockError(`${name} must be 8 or more letters, digits or signs without spaces.`)
}

/** Every option of the command line: parsing, help, and the environment variables derive from it. */
const options = {
  port: {
    short: 'p',
    argument: 'PORT',
    help: 'Port to listen on; 0 takes any free one. Default: 4010',
    helpWith: { vary: 'Port of the server that varies. Default: any free one' },
    commands: ['serve', 'vary'],
    read: integer(0, 65_535, 'a port from 0 to 65535'),
  },
  host: {
    short: 'H',
    argument: 'ADDRESS',
    help: 'Address to bind; 0.0.0.0 opens it to other machines. Default: 127.0.0.1',
    commands: ['serve'],
    read: text,
  },
  fixtures: {
    argument: 'NAME|FILE',
    repeatable: true,
    help: 'Plants to start with: garden, empty, crowded, edge-cases, or a .json or .ndjson file. Default: garden',
    commands: ['serve', 'vary'],
    read: text,
  },
  watch: {
    help: 'Load fixture files anew when they change, or the file of --persist; a bad edit keeps the old plants',
    commands: ['serve'],
    read: isOn,
  },
  persist: {
    argument: 'FILE',
    help: 'Keep plants in an .ndjson file: each is written before its create is answered. What the file holds is served; fixtures begin it, and are what a reset goes back to',
    commands: ['serve'],
    read: text,
  },
  plants: {
    argument: 'N',
    help: 'Generate N plants, in place of garden or behind the fixtures given',
    commands: ['serve', 'vary', 'generate'],
    read: plantCount,
  },
  seed: {
    argument: 'N',
    help: 'Seed of what is generated or shuffled: the same seed, the same plants. Default: 1',
    commands: ['serve', 'vary', 'generate'],
    read: seed,
  },
  token: {
    argument: 'TOKEN',
    repeatable: true,
    help: 'Accept this bearer token, and no others but those that fixtures name; generated plants belong to one each',
    helpWith: { verify: 'Token of the caller, which plants are created for' },
    commands: ['serve', 'vary', 'verify', 'generate'],
    read: token,
  },
  assume: {
    argument: 'ID=VALUE',
    repeatable: true,
    help: 'Change an assumption, e.g. create.status=200; "plant-mock assumptions" lists them',
    commands: ['serve', 'vary', 'verify', 'assumptions', 'contract'],
    read: text,
  },
  assumptions: {
    argument: 'FILE',
    help: 'Assumptions from a JSON file, such as one learned from a live service; --assume wins',
    helpWith: { verify: 'What is assumed so far, to compare with what is found' },
    commands: ['serve', 'vary', 'verify', 'assumptions', 'contract'],
    read: text,
  },
  'assumption-seed': {
    argument: 'SEED',
    help: 'Choose a value for every assumption from a seed, and print which; those set otherwise stay',
    commands: ['serve', 'assumptions', 'contract'],
    read: seed,
  },
  latency: {
    argument: 'MS|MIN-MAX',
    help: 'Hold every answer back for so many milliseconds, or a number between two drawn by the seed',
    commands: ['serve'],
    read: latency,
  },
  'fail-rate': {
    argument: 'SHARE',
    help: 'Answer 503 to a share of the requests, from 0 to 1, drawn by the seed',
    commands: ['serve'],
    read: share,
  },
  upstream: {
    argument: 'URL',
    help: 'Send what the mock does not serve to a real service, WebSockets too',
    commands: ['serve'],
    read: text,
  },
  'upstream-for': {
    argument: 'WHAT',
    help: 'plants (or all): the operations of the contract go to the upstream too; rest: all but these. Default: rest',
    commands: ['serve'],
    read: oneOf('rest', 'plants', 'all'),
  },
  'upstream-timeout': {
    argument: 'SECONDS',
    help: 'How long the upstream may take to answer. Default: 30',
    commands: ['serve'],
    read: integer(1, 86_400, 'a number of seconds from 1 to 86400'),
  },
  check: {
    argument: 'report|strict',
    optional: true,
    help: 'Compare the exchanges with the upstream with the contract; strict answers 502 where they depart',
    commands: ['serve'],
    read: checkMode,
  },
  record: {
    argument: 'FILE',
    help: 'Keep the plants that the upstream shows in a fixture file, under names and never tokens',
    commands: ['serve'],
    read: text,
  },
  'tokens-map': {
    argument: 'FILE',
    help: 'Names of callers with their tokens, a JSON object such as {"caller-1":"TOKEN"}; to be kept to yourself',
    commands: ['serve'],
    read: text,
  },
  fallback: {
    help: 'Answer the operations of the contract from the model while the upstream is away',
    commands: ['serve'],
    read: isOn,
  },
  handlers: {
    argument: 'FILE',
    help: 'A module that exports msw handlers, which answer first; with --watch it is loaded anew when it changes',
    commands: ['serve'],
    read: text,
  },
  cert: {
    argument: 'FILE',
    help: 'Serve HTTPS with this certificate (PEM), and its --key',
    commands: ['serve'],
    read: text,
  },
  key: {
    argument: 'FILE',
    help: 'The private key of --cert (PEM)',
    commands: ['serve'],
    read: text,
  },
  coverage: {
    argument: 'FILE',
    help: 'Write which outcomes of the contract the clients have met to a JSON file, and print them at the end',
    commands: ['serve'],
    read: text,
  },
  'control-key': {
    argument: 'KEY',
    help: 'Ask for this key at /__plant-mock/, which then is open to other machines too',
    commands: ['serve'],
    read: controlKey,
  },
  pairs: {
    help: 'Few runs in which any two values of any two assumptions meet, in place of one for each alternative',
    commands: ['vary'],
    read: isOn,
  },
  thorough: {
    help: 'Take the rare alternatives too, which break almost every client',
    commands: ['vary'],
    read: isOn,
  },
  only: {
    argument: 'ID[=VALUE]',
    repeatable: true,
    help: 'Vary this assumption alone, or try this value alone',
    commands: ['vary'],
    read: text,
  },
  jobs: {
    argument: 'N',
    help: 'How many runs at a time, each with a server of its own. Default: 1',
    commands: ['vary'],
    read: integer(1, 64, 'a number from 1 to 64'),
  },
  'no-server': {
    help: 'Start no server: only mocks inside the test suite vary',
    commands: ['vary'],
    read: isOn,
  },
  timeout: {
    argument: 'SECONDS',
    help: 'When a run counts as failed. Default: ten times what the first run took, and at least 60',
    helpWith: { verify: 'How long one answer may take. Default: 10' },
    commands: ['vary', 'verify'],
    read: integer(1, 86_400, 'a number of seconds from 1 to 86400'),
  },
  output: {
    argument: 'FOLDER',
    help: 'Where the output of failing runs is kept. Default: a new folder among the temporary ones',
    commands: ['vary'],
    read: text,
  },
  reporter: {
    argument: 'NAME',
    help: 'Form of the report on standard output: text, json or junit. Default: text',
    commands: ['vary', 'verify'],
    read: reporter,
  },
  'other-token': {
    argument: 'TOKEN',
    help: 'Token of another caller, to see that one does not see what the other added',
    commands: ['verify'],
    read: token,
  },
  'read-only': {
    help: 'Create nothing at the service; what needs plants is skipped',
    commands: ['verify'],
    read: isOn,
  },
  yes: {
    help: 'Create plants at a service that is not on this machine',
    commands: ['verify'],
    read: isOn,
  },
  learn: {
    argument: 'FILE',
    help: 'Write what was found to an assumptions file, for --assumptions',
    commands: ['verify'],
    read: text,
  },
  header: {
    argument: 'NAME:VALUE',
    repeatable: true,
    help: 'Send this header with every request',
    commands: ['verify'],
    read: header,
  },
  quiet: { help: 'Print the address alone, and no requests', commands: ['serve'], read: isOn },
  json: {
    help: 'Print for machines: JSON, one object a line when serving',
    commands: ['serve', 'assumptions'],
    read: isOn,
  },
  help: { short: 'h', help: 'Show this help', commands: everywhere, read: isOn },
  version: { short: 'v', help: 'Show the version', commands: everywhere, read: isOn },
} as const satisfies Record<string, Option>

type OptionName = keyof typeof options

type ValueOf<N extends OptionName> = (typeof options)[N] extends { repeatable: true }
  ? readonly ReturnType<(typeof options)[N]['read']>[]
  : ReturnType<(typeof options)[N]['read']>

/** What was given for each option, from flags or the environment; nothing where nothing was. */
export type Values = { readonly [N in OptionName]?: ValueOf<N> }

/** The table as rows of one type. */
export const optionRows: ReadonlyMap<string, Option> = new Map(Object.entries<Option>(options))

/** The environment variable that stands in for a flag: `PLANT_MOCK_PORT` for `--port`. */
export const variableOf = (name: string): string => `PLANT_MOCK_${name.replaceAll('-', '_').toUpperCase()}`
