type CliCommandRow = {
  readonly help: string
  readonly usage: string
  readonly requiredOperands?: readonly string[]
  readonly maxOperands?: number
  readonly runsCommand?: true
  readonly examples: readonly string[]
}

const table = {
  serve: {
    help: 'Serve the mock over HTTP (default command)',
    usage: 'plant-mock [serve] [options]',
    examples: [
      'plant-mock --port 4010 --fixtures garden --assume list.order=newest',
      "curl -H 'Authorization: Bearer alice' 'http://127.0.0.1:4010/plants?limit=3'",
    ],
  },
  run: {
    help: 'Serve the mock at PLANT_MOCK_URL while a command runs',
    usage: 'plant-mock run [options] -- COMMAND',
    runsCommand: true,
    examples: ['plant-mock run -- npm test', 'plant-mock run --log requests.log --fixtures empty -- npx vitest run'],
  },
  vary: {
    help: 'Name the assumptions that a test suite relies on',
    usage: 'plant-mock vary [options] -- COMMAND',
    runsCommand: true,
    examples: ['plant-mock vary -- npx vitest run', 'plant-mock vary --only list.order -- npm test'],
  },
  mutate: {
    help: 'Break the contract; find mutants no test notices',
    usage: 'plant-mock mutate [options] -- COMMAND',
    runsCommand: true,
    examples: ['plant-mock mutate -- npx vitest run', 'plant-mock mutate --threshold 80 --jobs 2 -- npm test'],
  },
  verify: {
    help: 'Check a live service against contract and assumptions',
    usage: 'plant-mock verify URL [options]',
    requiredOperands: ['URL'],
    examples: [
      'plant-mock verify http://127.0.0.1:4010 --token alice --other-token bob',
      'plant-mock verify http://127.0.0.1:4010 --expect learned.json',
    ],
  },
  diff: {
    help: 'Compare descriptions of the service; name what breaks',
    usage: 'plant-mock diff OLD NEW [options] [-- COMMAND]',
    requiredOperands: ['OLD', 'NEW'],
    runsCommand: true,
    examples: ['plant-mock diff old.json new.json', 'plant-mock diff learned.json http://127.0.0.1:4010 -- npm test'],
  },
  learn: {
    help: 'Find assumptions in OpenAPI documents and recorded traffic',
    usage: 'plant-mock learn SOURCE... [options]',
    requiredOperands: ['SOURCE'],
    maxOperands: Number.POSITIVE_INFINITY,
    examples: ['plant-mock learn openapi.yaml', 'plant-mock learn traffic.har --out learned.json'],
  },
  generate: {
    help: 'Print a fixture file of generated plants',
    usage: 'plant-mock generate [options]',
    examples: ['plant-mock generate --plants 100 --seed 7 > plants.json'],
  },
  assumptions: {
    help: 'Print every assumption, its value and its alternatives',
    usage: 'plant-mock assumptions [options]',
    examples: ['plant-mock assumptions --assume list.order=newest'],
  },
  contract: {
    help: 'Print sections of the contract, or an OpenAPI document',
    usage: 'plant-mock contract [SECTION...] [options]',
    maxOperands: Number.POSITIVE_INFINITY,
    examples: ['plant-mock contract 4.2', 'plant-mock contract --assume create.status=200 > openapi.json'],
  },
  help: {
    help: 'Show the options, exit codes and examples of a command',
    usage: 'plant-mock help [COMMAND]',
    maxOperands: 1,
    examples: ['plant-mock help vary'],
  },
} satisfies Record<string, CliCommandRow>

export type CliCommand = keyof typeof table

export const commands: Readonly<Record<CliCommand, CliCommandRow>> = table

export const allCommands = Object.keys(commands) as CliCommand[]
