import { describe, expect, it } from 'vitest'
import { optionRows } from '../../src/cli/options.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { peerOptions } from '../../src/cli/unknown-words.ts'

const errorOf = (line: string): string => {
  try {
    parseCommandLine(line.split(' '), {})
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

it('names no option here that another mock server has in another meaning', () => {
  expect(Object.keys(peerOptions).filter((name) => optionRows.has(name))).toEqual([])
})

describe('an unknown word', () => {
  it.each([
    ['--delay 300', 'Unknown option --delay. Use --latency MS|MIN-MAX.'],
    ['run --delay=300 -- x', 'Unknown option --delay. Use --latency MS|MIN-MAX.'],
    ['--routes r.json', 'Unknown option --routes. Use --handlers FILE.'],
    ['--dynamic', 'Unknown option --dynamic. Use --plants N and --seed N.'],
    ['generate --dynamic', 'Unknown option --dynamic. Use --plants N and --seed N.'],
    [
      '--record-mappings',
      'Unknown option --record-mappings. Use --record FILE. It needs --upstream URL --upstream-for all.',
    ],
    ['--https-port 1', 'Unknown option --https-port. Use --port PORT, --cert FILE and --key FILE.'],
    ['--cors', 'Unknown option --cors. Pages of every origin may use /plants; nothing turns that on or off.'],
    [
      '--verboseLevel debug',
      'Unknown option --verboseLevel. Each request is logged, and the dashboard at /__plant-mock/ shows it whole.',
    ],
    ['verify URL --delay 3', 'Unknown option --delay. "plant-mock help verify" lists the known ones.'],
    ['vary --cors', 'Unknown option --cors. "plant-mock help vary" lists the known ones.'],
    ['mock openapi.yaml', 'Unknown command "mock". Use "plant-mock".'],
    ['init public', 'Unknown command "init". Use "npx msw init public".'],
    ['plants.json', 'Unknown command "plants.json". To serve the plants of a file: plant-mock --fixtures plants.json'],
    ['4010', 'Unknown command "4010". To listen on this port: plant-mock --port 4010'],
  ])('of another mock server leads to the equivalent: %s', (line, message) => {
    expect(errorOf(line)).toBe(message)
  })

  it.each([
    ['--prot 1', 'Unknown option --prot. Did you mean "--port"?'],
    ['--kye x', 'Unknown option --kye. Did you mean "--key"?'],
    ['--upstreem x', 'Unknown option --upstreem. Did you mean "--upstream"?'],
    ['srve', 'Unknown command "srve". Did you mean "serve"?'],
    ['help vray', ''],
  ])('that is close leads to the one that was meant: %s', (line, message) => {
    expect(errorOf(line)).toBe(message)
  })

  it.each(['--deploy', '--max', '--tls', '--db', '-x', '--file', '--api', '--day', 'test', 'ui'])(
    'that is not close leads to the help: %s',
    (word) => {
      expect(errorOf(word)).toBe(
        `Unknown ${word.startsWith('-') ? `option ${word}` : `command "${word}"`}. "plant-mock help" lists the known ones.`,
      )
    },
  )

  it.each([
    ['vary npx vitest', 'plant-mock vary -- npx vitest'],
    ['run npm test', 'plant-mock run -- npm test'],
    [
      'vary --only list.order --each npx vitest run --bail',
      'plant-mock vary --only list.order --each -- npx vitest run --bail',
    ],
  ])('that begins a command leads to -- in front of it: %s', (line, command) => {
    expect(errorOf(line)).toMatch(/^Unexpected argument "(?:npx|npm)"\. Put -- in front of the command: /)
    expect(errorOf(line)).toContain(command)
  })
})
