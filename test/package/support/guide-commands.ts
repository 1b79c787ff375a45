import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import { expect } from 'vitest'
import { defaultAssumptions } from '../../../src/core/assumptions/registry.ts'
import { type RedisServer, skipsRedis, startRedis } from '../../support/redis-server.ts'
import { bundleSuite } from './bundled-suite.ts'
import { finish, type Running, root, run, serve } from './cli.ts'
import { installExample } from './examples.ts'
import { type Command, codeFiles } from './guides.ts'
import { runVitest } from './vitest.ts'

export const notRun: Readonly<Record<string, string>> = {
  'npm ci': 'installs packages: .ci/run does so in a fresh clone',
  'npm install --save-dev @redis/client': 'installs a package: this project has it',
  'npm test': 'runs this test',
}

const guideAddress = /https?:\/\/(?:127\.0\.0\.1:4010|localhost:4010|staging\.example)/

export type Shell = {
  readonly folder: string
  server?: Pick<Running, 'child' | 'finished'>
  url?: string
  response?: Response
  store?: RedisServer
}

const isSkipped = ({ words, env }: Command): boolean =>
  skipsRedis && (words[0] === 'redis-cli' || env.PLANT_MOCK_STORE !== undefined)

const storeOf = async (shell: Shell): Promise<RedisServer> => {
  shell.store ??= await startRedis()
  return shell.store
}

const withStore = async (command: Command, shell: Shell): Promise<Command> =>
  command.env.PLANT_MOCK_STORE === undefined
    ? command
    : { ...command, env: { ...command.env, PLANT_MOCK_STORE: (await storeOf(shell)).url } }

/** Replaces addresses of a guide by servers on free ports, which avoids conflicts with other programs. */
export const runCommand = async (given: Command, shell: Shell): Promise<void> => {
  if (notRun[given.text] !== undefined || isSkipped(given)) return
  const command = await withStore(given, shell)
  const [program, name, ...args] = command.words
  if (program === 'redis-cli') {
    expect(await (await storeOf(shell)).command(...command.words.slice(1)), command.text).toMatch(/^[+:]/)
    return
  }
  if (program === 'curl') return sendCurl(command.words.slice(1), shell)
  expect(program, command.text).toBe('npx')
  if (name === 'vitest') {
    expect(await runVitest(await installExample('ci'), [], command.env)).toMatchObject({ code: 0 })
    return
  }
  expect(name, command.text).toBe('plant-mock')
  await provideFiles(args, shell.folder)
  const [first = '--'] = args
  if (first === 'serve' || (first.startsWith('-') && !/^--?(?:help|version|h|v)$/.test(first)))
    await runServer(args, command, shell)
  else if (first === 'vary' || first === 'run') await runSuite(args, command, shell)
  else await runToEnd(args, command, shell)
}

const openApi = `openapi: 3.1.0
info: {title: Plants, version: '1'}
paths: {/plants: {post: {responses: {'200': {description: created}}}}}
`

const har = JSON.stringify({
  log: {
    version: '1.2',
    entries: [
      {
        startedDateTime: '2026-01-01T00:00:00Z',
        time: 1,
        request: { method: 'GET', url: 'https://plants.example/plants', headers: [] },
        response: {
          status: 200,
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          content: { size: 2, text: '[]' },
        },
      },
    ],
  },
})

const contentOf: Readonly<Record<string, (file: string) => string>> = {
  '--fixtures': (file) => {
    if (file.endsWith('.har')) return har
    const garden = readFileSync(`${root}fixtures/garden.json`, 'utf8')
    const { plants } = JSON.parse(garden) as { plants: unknown[] }
    return file.endsWith('.ndjson') ? plants.map((plant) => `${JSON.stringify(plant)}\n`).join('') : garden
  },
  '--assumptions': (file) => (file.endsWith('.yaml') ? openApi : '{"assumptions":{}}'),
  learn: (file) => (file.endsWith('.har') ? har : openApi),
  diff: () => JSON.stringify({ assumptions: defaultAssumptions }),
  '--expect': () => '{"assumptions":{}}',
  'openapi.yaml': (file) => (file.endsWith('.har') ? har : '{}'),
  'old.json': () => '{"assumptions":{}}',
  '--tokens-map': () => '{"caller-1":"a-token-of-alice"}',
  '--handlers': (file) => codeFiles.get(file) ?? '',
}

const provideFiles = async (args: readonly string[], folder: string): Promise<void> => {
  const pairs = args.flatMap((word, i) => [
    [word, args[i + 1] ?? ''] as const,
    [word.split('=', 1)[0] ?? '', word.replace(/^[^=]*=?/, '')] as const,
  ])
  for (const [option, value] of pairs) {
    if (!/^\w[\w-]*\.\w+$/.test(value) || existsSync(`${folder}/${value}`)) continue
    if (option === '--cert' || option === '--key')
      await copyFile(`${root}test/package/support/tls/${option.slice(2)}.pem`, `${folder}/${value}`)
    const content = contentOf[option]?.(value)
    if (content !== undefined) await writeFile(`${folder}/${value}`, content)
  }
}

const withService = async (args: readonly string[]): Promise<readonly string[]> => {
  if (!args.some((word) => guideAddress.test(word))) return args
  const { url } = await serve(['--quiet'])
  return args.map((word) => word.replace(guideAddress, url))
}

const runServer = async (args: readonly string[], { env }: Command, shell: Shell): Promise<void> => {
  const atPort = args.flatMap((word, i) => (/^(?:-p|--port)$/.test(args[i - 1] ?? '') ? ['0'] : [word]))
  const isAtPort = args.some((word) => /^(?:-p|--port)\b/.test(word))
  shell.server?.child.kill()
  await shell.server?.finished
  const started = run(await withService(isAtPort ? atPort : [...atPort, '--port', '0']), {
    cwd: shell.folder,
    env,
  })
  const [url] = await started.printed(/https?:\/\/[\w.[\]:-]+/)
  Object.assign(shell, { server: started, url })
  const token = args[args.indexOf('--token') + 1]
  const status = await statusOf(`${url}/plants`, args.includes('--token') && token ? token : 'alice')
  if (!args.includes('--fail-rate')) expect(status).toBe(200)
}

const statusOf = async (url: string, token: string): Promise<number | undefined> => {
  const headers = { authorization: `Bearer ${token}` }
  const ca = readFileSync(`${root}test/package/support/tls/cert.pem`)
  const request = url.startsWith('https:') ? getSecurely(url, { headers, ca }) : get(url, { headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

const runSuite = async (args: readonly string[], { env }: Command, shell: Shell): Promise<void> => {
  const options = args.slice(0, args.indexOf('--'))
  const suite = await bundleSuite(`${await installExample('ci')}/plants.test.ts`, `${shell.folder}/suite.mjs`)
  const { code, error } = await finish([...options, '--', ...suite], {
    cwd: shell.folder,
    env: { PLANT_MOCK_ONLY: 'create.status', ...env },
  })
  expect({ code, error }).toMatchObject({ code: 0 })
}

const runToEnd = async (args: readonly string[], { env, output }: Command, shell: Shell): Promise<void> => {
  const finished = await finish(await withService(args), { cwd: shell.folder, env })
  expect(finished).toMatchObject({ code: 0, out: expect.stringMatching(/\w/) })
  if (output !== undefined) await writeFile(`${shell.folder}/${output}`, finished.out)
}

const sendCurl = async (words: readonly string[], shell: Shell): Promise<void> => {
  const valuesOf = (short: string, long: string) =>
    words.filter((_, i) => words[i - 1] === short || words[i - 1] === long)
  const headers = new Headers(
    valuesOf('-H', '--header').map((header) => {
      const [name = '', ...value] = header.replaceAll(/\$\w+/g, 'alice').split(': ')
      return [name, value.join(': ')]
    }),
  )
  const key = headers.get('Plant-Mock-Control-Key')
  shell.url ??= (await serve(['--quiet', ...(key === null ? [] : ['--control-key', key])])).url
  const address = words.find((word) => guideAddress.test(word)) ?? ''
  const [body] = valuesOf('-d', '--data')
  const [method = body === undefined ? 'GET' : 'POST'] = valuesOf('-X', '--request')
  shell.response = await fetch(address.replace(guideAddress, shell.url), {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
}
