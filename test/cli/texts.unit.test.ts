import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assumptionRegistry, defaultAssumptions } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { allCommands } from '../../src/cli/commands.ts'
import { finish, serve } from '../support/command-line.ts'
import { openTestFolder } from '../support/folder.ts'

const secret = 'a-token-of-forty-characters-that-is-real'
const tls = (name: string) => join(import.meta.dirname, `../package/support/tls/${name}.pem`)

describe('wrong usage', () => {
  it.each([
    [['vary', '--reportr', 'json'], 'Unknown option --reportr. Did you mean "--reporter"?'],
    [['serve', 'now'], 'Unexpected argument "now". Usage: plant-mock [serve] [options]'],
    [['--port'], '--port needs a value: --port PORT.'],
    [['--port', 'http'], '--port must be a port from 0 to 65535, not "http".'],
    [['--port', '65536'], '--port must be a port from 0 to 65535, not "65536".'],
    [['--port', '1', '--port', '2'], '--port was given 2 times. Give it once.'],
    [['--plants', '-1'], '--plants must be a number of plants from 0 to 10000000, not "-1".'],
    [['--plants', '1e3'], '--plants must be a number of plants'],
    [['--seed', 'x'], '--seed must be a whole number, not "x".'],
    [['--quiet=yes'], '--quiet takes no value.'],
    [['--token', 'a b'], '--token is not a valid bearer token.'],
    [['--fixtures', 'gardne'], 'fixture "gardne". Did you mean "garden"?'],
    [['--fixtures', 'nowhere.json'], 'The fixture file nowhere.json does not exist.'],
    [['--assume', 'create.statsu=200'], 'Unknown assumption "create.statsu". Did you mean "create.status"?'],
    [['generate', '--port', '1'], '--port is not an option of generate, but of serve, run, vary, mutate.'],
    [['--latency', '9-3'], '--latency must be milliseconds such as 300, or a range such as 100-800, not "9-3".'],
    [['--fail-rate', '2'], '--fail-rate must be a number from 0 to 1, such as 0.1, not "2".'],
    [['--fail-rate', '50'], 'not "50". For 50 %: 0.5.\n'],
    [['--fail-rate', '7%'], 'not "7%". For 7 %: 0.07.\n'],
    [['generate', '5'], 'Unexpected argument "5". To generate this many: plant-mock generate --plants 5'],
    [['serve', 'openapi.json'], 'Unexpected argument "openapi.json". To serve the plants of a file: plant-mock --fix'],
    [['mock', 'openapi.json'], 'Unknown command "mock". To serve the plants of a file: plant-mock --fixtures open'],
    [['start'], 'Unknown command "start". Did you mean "serve"?'],
    [['--openapi', 'openapi.json'], 'Unknown option --openapi. Did you mean "--assumptions"?'],
    [['--delay', '100'], 'Unknown option --delay. Did you mean "--latency"?'],
    [['db.js'], 'To serve the plants of a file, write them as JSON: plant-mock --fixtures plants.json'],
    [['verify', 'localhost:3000'], '"localhost:3000" is not an HTTP address.'],
    [['verify', 'localhost:3000'], 'Did you mean http://localhost:3000?'],
    [['verify', '3000'], 'Did you mean http://127.0.0.1:3000?'],
    [['diff', 'localhost:3000/api', 'new.json'], 'Did you mean http://localhost:3000/api?'],
    [['--allow-origin', 'localhost:5173'], 'Did you mean http://localhost:5173?'],
    [['--control-key', 'short'], '--control-key must have at least 8 printable ASCII characters and no spaces.'],
    [
      ['run', '--log', '/nowhere/requests.log', '--', 'echo', 'was run'],
      '--log cannot write /nowhere/requests.log: ENOENT',
    ],
    [['run'], 'The command is missing. Put it after --: plant-mock run -- npm test'],
    [['run', '--'], 'The command is missing. Put it after --: plant-mock run -- npm test'],
    [['run', 'npm', 'test'], 'Unexpected argument "npm". Put -- in front of the command: plant-mock run -- npm test'],
    [['serve', '--', 'echo', 'was run'], 'Unexpected argument "--". Only these commands run another command: run, '],
    [['--plants', '3', '--watch'], '--watch needs --fixtures, --handlers, --assumptions or --persist'],
    [['serve', '--log', 'x'], '--log is not an option of serve, but of run.'],
    [
      ['--persist', 'plants.json'],
      'The file that keeps plants must end in .ndjson (one plant per line), unlike plants.json.',
    ],
    [['--persist', 'no/x.ndjson'], 'no/x.ndjson cannot store plants: ENOENT: no such file or directory. Fix'],
    [['--host', 'not an address'], 'not an address is not an address of this machine.'],
    [['--host', ''], 'The host is empty. Use 127.0.0.1, or 0.0.0.0 to accept connections from other machines.'],
  ])('%j is refused in one line before anything starts', async (args, message) => {
    const { code, out, error } = await finish(args)
    expect([code, out]).toEqual([args[0] === '--host' ? 1 : 2, ''])
    expect(error).toMatch(/^plant-mock: [^\n]+\n$/)
    expect(error).toContain(message)
  })

  it('of an environment variable is reported with the name of the variable', async () => {
    const { code, error } = await finish([], { env: { PLANT_MOCK_PORT: 'http' } })
    expect([code, error]).toEqual([2, 'plant-mock: PLANT_MOCK_PORT must be a port from 0 to 65535, not "http".\n'])
  })
})

describe('options of an upstream and of HTTPS', () => {
  it.each([
    [['--check'], '--check needs --upstream URL.'],
    [['--record', 'x.json'], '--record needs --upstream URL.'],
    [['--timeout', '5'], '--timeout needs --upstream URL.'],
    [
      ['--persist', 'x.ndjson', '--upstream', 'http://x.example', '--upstream-for', 'all'],
      '--persist and --upstream-for all exclude each other: the upstream then stores the plants.',
    ],
    [
      ['--upstream', 'http://x.example', '--upstream-for', 'plant'],
      '--upstream-for must be one of rest, all, not "plant".',
    ],
    [
      ['--upstream', 'http://x.example', '--allow-origin', '*'],
      '--allow-origin must be an origin such as https://app.example.com, without a path or wildcard.',
    ],
    [['--upstream', 'http://x.example', '--check=hard'], '--check must be one of report, strict, not "hard".'],
    [['--tokens-map', 'nowhere.json'], 'The file nowhere.json of --tokens-map does not exist.'],
    [['--cert', tls('cert')], 'HTTPS needs both --cert FILE and --key FILE.'],
    [
      ['--cert', tls('cert'), '--key', tls('other-key')],
      'The certificate and the key do not match: the certificate was issued for another key.',
    ],
    [['--cert', tls('key'), '--key', tls('cert')], 'The certificate is not in PEM format'],
    [
      ['--cert', tls('cert'), '--key', tls('cert')],
      'The key is not a private key in PEM format, or it has a passphrase',
    ],
    [['--cert', '/dev/null', '--key', tls('key')], 'The certificate is not in PEM format'],
    [['--cert', tls('cert'), '--key', '/dev/null'], 'The key is not a private key in PEM format'],
    [['--cert', 'nowhere.pem', '--key', tls('key')], 'The file nowhere.pem of --cert does not exist.'],
  ])('refuses %j with one line', async (args, message) => {
    const { code, out, error } = await finish([...args, '--port', '0'])
    expect([code, out]).toEqual([2, ''])
    expect(error).toContain(`plant-mock: ${message}`)
    expect(error.trim().split('\n')).toHaveLength(1)
  })

  it('reads a --tokens-map that begins with a byte order mark', async () => {
    const folder = await openTestFolder()
    await writeFile(join(folder, 'tokens.json'), `\uFEFF{"caller-1":"${secret}"}`)
    const { close } = await serve(['--tokens-map', join(folder, 'tokens.json')])
    await close()
  })

  it('prints no token of an invalid --tokens-map', async () => {
    const folder = await openTestFolder()
    const map = join(folder, 'bad-tokens.json')
    for (const text of [`{"caller-1":"${secret} "}`, `["${secret}"]`, `{"caller-1":"${secret}"`]) {
      await writeFile(map, text)
      const { code, error } = await finish(['--tokens-map', map, '--port', '0'])
      expect(code).toBe(2)
      expect(error).not.toContain(secret)
    }
  })
})

describe('plant-mock help', () => {
  it.each([
    [['help'], ['--help']],
    [
      ['help', 'serve'],
      ['serve', '-h'],
    ],
    [
      ['help', 'vary'],
      ['vary', '--help'],
    ],
    [
      ['help', 'help'],
      ['help', '--help'],
    ],
  ])('prints with %j the same as %j', async (args, others) => {
    const { code, out } = await finish(args)
    expect(code).toBe(0)
    expect(out).toBe((await finish(others)).out)
  })

  it('says which exit codes a command has', async () => {
    expect((await finish(['help', 'verify'])).out).toMatch(/^Exit codes:\n {2}0 .*\n {2}1 {4}A rule is broken; /m)
  })
})

describe('plant-mock --help and --version', () => {
  it.each([[['--help']], [['-h']]])('%j prints the commands on one screen, and exits with 0', async (args) => {
    const { code, out } = await finish(args)
    expect(code).toBe(0)
    for (const word of [
      'generate',
      'assumptions',
      'contract',
      '--port PORT',
      '--handlers FILE',
      'plant-mock help serve',
    ])
      expect(out).toContain(word)
    expect(out.split('\n').length).toBeLessThanOrEqual(30)
  })

  it('serve --help prints the options of a server', async () => {
    const { out } = await finish(['serve', '--help'])
    for (const word of ['-p, --port PORT', '--watch', 'PLANT_MOCK_PORT']) expect(out).toContain(word)
  })

  it.each([undefined, ...allCommands])('%s has lines for a terminal of 80 columns', async (command) => {
    const { out } = await finish(['help', ...(command === undefined ? [] : [command])])
    const lines = out.slice(0, out.includes('Examples:') ? out.indexOf('Examples:') : undefined).split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('--help after a command prints the options of that command', async () => {
    const { out } = await finish(['generate', '--help'])
    expect(out).toContain('--plants N')
    expect(out).not.toContain('--port PORT')
  })

  it('-v prints the version', async () => {
    expect(await finish(['-v'])).toEqual({ code: 0, out: `${packageJson.version}\n`, error: '' })
  })
})

describe('plant-mock contract', () => {
  it('prints the OpenAPI document without sections', async () => {
    const { code, out } = await finish(['contract', '--assume', 'create.status=200'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
      paths: { '/plants': { post: { responses: { 200: {} } } } },
    })
  })

  it('prints a section with its title', async () => {
    const { code, out } = await finish(['contract', '4.2'])
    expect(code).toBe(0)
    expect(out).toMatch(/^4\.2 List plants\n\n\| Item[\s\S]*paging beyond `limit`: not shown\.\n$/)
  })

  it.each([[['4.2.1,8']], [['4.2.1', '8']], [['4.2.1,', '8']], [['4.2.1, 8,8']]])(
    'prints several sections: %j',
    async (sections) => {
      const { out } = await finish(['contract', ...sections])
      expect(out).toMatch(/^4\.2 List plants, rule 1\n\nThe response never holds [^\n]+\n\n8 Limits\n\n[\s\S]+\n$/)
      expect(out.match(/^8 Limits$/gm)).toHaveLength(1)
    },
  )

  it.each([
    [['4.9'], '4.9'],
    [['4.2,nine'], 'nine'],
    [[''], ''],
  ])('lists the sections when one is unknown: %j', async (sections, unknown) => {
    const { code, out, error } = await finish(['contract', ...sections])
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(
      new RegExp(`^plant-mock: Unknown section "${unknown}"\\. The sections are 1, 2, 2\\.1, .*, 9\\.\n$`),
    )
  })
})

describe('plant-mock assumptions', () => {
  it('prints every assumption with its question, value, provenance, section and alternatives', async () => {
    const page = JSON.stringify(`<p>${'{detail} '.repeat(50)}</p>`)
    const args = ['--assume', 'create.status=200', '--assume', `error.body=text/html ${page}`]
    const { code, out: lines } = await finish(['assumptions', ...args])
    expect(code).toBe(0)
    expect(lines.split('\n').filter((line) => line.length >= 80)).toEqual([])
    const out = lines.replaceAll(/\n +\(/g, '  (').replaceAll(/\n +/g, ' ')
    for (const { id, question } of assumptionRegistry) {
      expect(out).toContain(`${id} = `)
      expect(out).toContain(question)
    }
    expect(out).toContain('create.status = 200  (flag; the default is 201; contract 4.1)')
    expect(lines).toContain('  or 201: Created')
  })

  it('prints the provenance of each value: default, file, learned, seed, environment or flag', async () => {
    const folder = await openTestFolder()
    const file = join(folder, 'learned.json')
    const observed = { host: 'staging.example', date: '2026-11-20' }
    await writeFile(
      file,
      JSON.stringify({
        assumptions: { 'list.order': { value: 'name', observed }, 'error.body': 'text', 'auth.status': 403 },
      }),
    )
    const env = { PLANT_MOCK_ASSUME: 'auth.status=401,create.emptyStrings=reject' }
    const args = ['--assumptions', file, '--assume', 'create.status=200']
    const { out: lines } = await finish(['assumptions', ...args], { env })
    const out = lines.replaceAll(/\n +\(/g, '  (').replaceAll(/\n +/g, ' ')
    expect(out).toContain(
      'list.order = name  (learned at staging.example on 2026-11-20; the default is added; contract 4.2)',
    )
    expect(out).toContain(`error.body = text  (file ${file}; the default is problem; contract 7)`)
    expect(out).toContain('auth.status = 401  (environment; contract 5, 7)')
    expect(out).toContain('create.emptyStrings = reject  (environment; the default is accept; contract 2.4)')
    expect(out).toContain('create.status = 200  (flag; the default is 201; contract 4.1)')
    expect(out).toContain('json.keyOrder = name-tag  (default; contract 2)')
  })

  it('shortens long values in the report of a change', async () => {
    const form = `text/html ${JSON.stringify(`<p>${'{detail} '.repeat(300)}</p>`)}`
    const file = join(await openTestFolder(), 'learned.json')
    await writeFile(file, JSON.stringify({ assumptions: { 'error.body': form } }))
    await writeFile(`${file}.json`, JSON.stringify({ assumptions: { 'error.body': 'text' } }))
    const { out } = await finish(['diff', file, `${file}.json`])
    expect(out).toMatch(/error\.body: before: text\/html .* … .*; now: text \(contract 7\)/)
    expect(out.length).toBeLessThan(700)
  })

  it('prints JSON with --json', async () => {
    const rows = JSON.parse((await finish(['assumptions', '--json'])).out) as { id: string; value: unknown }[]
    expect(Object.fromEntries(rows.map(({ id, value }) => [id, value]))).toEqual(defaultAssumptions)
  })
})
