import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/parse.ts'

const errorOf = (line: string): string => {
  try {
    parseCommandLine(line.split(' '), {})
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('an unknown word', () => {
  it.each([
    [
      'plants.ndjson',
      'Unknown command "plants.ndjson". To serve the plants of a file: plant-mock --fixtures plants.ndjson',
    ],
    [
      'openapi.yaml',
      'Unknown command "openapi.yaml". To serve the plants of a file: plant-mock --fixtures openapi.yaml. ' +
        'To follow an OpenAPI document or a HAR file: plant-mock --assumptions openapi.yaml',
    ],
    [
      "my\nplants'.ndjson",
      `Unknown command "my\nplants'.ndjson". To serve the plants of a file: plant-mock --fixtures $'my\\x0aplants\\'.ndjson'`,
    ],
    ['4010', 'Unknown command "4010". To listen on this port: plant-mock --port 4010'],
  ])('that is a file or a port leads to its option: %s', (line, message) => {
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
      'vary --only list.order --thorough npx vitest run --bail',
      'plant-mock vary --only list.order --thorough -- npx vitest run --bail',
    ],
  ])('that begins a command leads to -- in front of it: %s', (line, command) => {
    expect(errorOf(line)).toMatch(/^Unexpected argument "(?:npx|npm)"\. Put -- in front of the command: /)
    expect(errorOf(line)).toContain(command)
  })
})
