import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { assumptionRegistry } from 'plant-mock'
import { createServer, type InlineConfig, type ViteDevServer } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { skipsBrowser } from './browser/chromium.ts'
import { finish, type Running, root, run, serve, stopAll } from './support/cli.ts'
import { runPlaywright } from './support/playwright.ts'
import { blocks, codeFiles, commandLines, section } from './support/readme.ts'
import { runVitest, type VitestReport } from './support/vitest.ts'

/** Inside the package, so that `plant-mock` means what is built here, as the package's own exports say. */
const folder = `${root}test/package/.readme`

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true })
  for (const part of ['tests', 'app']) await mkdir(`${folder}/${part}`, { recursive: true })
  for (const [name, text] of codeFiles)
    await writeFile(`${folder}/${/\.test\.ts$|^vitest\./.test(name) ? 'tests' : 'app'}/${name}`, text)
})
/** Where commands find the files that they name. */
const workFolder = `${folder}/work`
beforeAll(async () => {
  await mkdir(workFolder, { recursive: true })
  const [handlers] = blocks.filter(({ language }) => language === 'js')
  await writeFile(`${workFolder}/handlers.js`, handlers?.text ?? '')
  for (const name of ['cert.pem', 'key.pem'])
    await copyFile(`${root}test/package/support/tls/${name}`, `${workFolder}/${name}`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(stopAll)

const servers: ViteDevServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** The address of a dev server of Vite, at a free port. */
const develop = async (config: InlineConfig): Promise<string> => {
  const server = await createServer({ logLevel: 'silent', ...config, server: { host: '127.0.0.1', port: 0 } })
  servers.push(server)
  await server.listen()
  return server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? ''
}

/** A list as alice gets it, over HTTPS too. */
const answerOf = async (url: string): Promise<{ status: number | undefined }> => {
  const headers = { authorization: 'Bearer alice' }
  const ca = readFileSync(`${root}test/package/support/tls/cert.pem`)
  const request = url.startsWith('https:') ? getSecurely(url, { headers, ca }) : get(url, { headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return { status: response.statusCode }
}

describe('every code block of the README', () => {
  const tests = [...codeFiles.keys()].filter((name) => name.endsWith('.test.ts'))

  it('is a test file, or a module that another test runs', () => {
    expect([...codeFiles.keys()].filter((name) => !tests.includes(name))).toEqual([
      'vitest.config.ts',
      'browser.ts',
      'middleware.ts',
      'vite.config.ts',
      'plants.spec.ts',
    ])
    expect(tests.length).toBeGreaterThanOrEqual(5)
  })

  it('passes when it is a test', { timeout: 60_000 }, async () => {
    const { out, error } = await runVitest(`${folder}/tests`, ['--reporter', 'json'])
    expect(error).toBe('')
    const result = JSON.parse(out) as VitestReport
    expect(result).toMatchObject({ success: true, numFailedTests: 0, numPendingTests: 0 })
    expect(result.testResults).toHaveLength(tests.length)
    for (const { assertionResults } of result.testResults) expect(assertionResults).not.toEqual([])
  })

  it('configures vitest, with the report that stands below it', { timeout: 60_000 }, async () => {
    const { code, out } = await runVitest(`${folder}/tests`, ['shelf.test.ts', 'options.test.ts'])
    expect(code).toBe(0)
    const shown = blocks.find(({ text }) => text.startsWith('Outcomes of the contract'))
    expect(out).toContain(shown?.text)
  })

  it('loads when it is a module: the middleware', async () => {
    const { app } = (await import(pathToFileURL(`${folder}/app/middleware.ts`).href)) as { app: unknown }
    expect(app).toBeTypeOf('function')
  })

  it('serves plants when it is the configuration of Vite', async () => {
    const url = await develop({ root: `${folder}/app`, configFile: `${folder}/app/vite.config.ts` })
    const response = await fetch(`${url}/api/plants`, { headers: { authorization: 'Bearer carol' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  it.skipIf(skipsBrowser('the lines of the README for Playwright'))(
    'passes when it is for Playwright, on an application that asks another address',
    { timeout: 60_000 },
    async () => {
      const url = await develop({
        root: `${root}test/app`,
        configFile: false,
        cacheDir: `${folder}/cache`,
        define: { 'import.meta.env.VITE_PLANT_STORE': '"https://api.example.com"' },
      })
      const tests = await runPlaywright('test/package/playwright/playwright.config.ts', {
        args: ['--project', 'readme'],
        env: { APP_URL: url },
      })
      expect(tests).toMatchObject([
        { title: 'says that the service is down', outcome: 'expected', errors: [] },
      ])
    },
  )
})

describe('every command of the README', () => {
  it('is known here', () => {
    for (const line of commandLines) expect(line).toMatch(/^(npx plant-mock|npm install|curl) /)
  })

  const commands = commandLines
    .filter((line) => line.startsWith('npx plant-mock'))
    .map((line) => line.split(' ').slice(2))
  /** As written, but at a free port, so that nothing else on the machine is in the way. */
  const serving = commands.filter(([first = '--']) => first.startsWith('--') && first !== '--assumptions')
  const printing = commands.filter(
    ([first = '--']) => !first.startsWith('--') && first !== 'vary' && first !== 'verify',
  )

  it.each(serving)('serves: plant-mock %s %s', async (...args) => {
    const free = args.includes('--port')
      ? args.map((arg) => (arg === '4010' ? '0' : arg))
      : [...args, '--port', '0']
    const real = args.includes('https://staging.example') ? await serve(['--quiet']) : undefined
    const started: Running = run(
      free.map((arg) => (arg === 'https://staging.example' ? (real?.url ?? '') : arg)),
      { cwd: workFolder },
    )
    const [url] = await started.printed(/https?:\/\/\S+/)
    const { status } = await answerOf(`${url}/plants`)
    expect(status).toBe(200)
  })

  it('answers with the handlers that it shows', async () => {
    const { url } = await serve(['--handlers', 'handlers.js'], { cwd: workFolder })
    expect(await (await fetch(`${url}/orders`)).json()).toEqual([{ id: 1, plant: 'Aloe vera' }])
  })

  it('verifies, learns, and serves what it learned', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
    const [, , , ...verify] = commandLines.find((line) => line.includes(' verify '))?.split(' ') ?? []
    const started = run(['--port', '0', '--quiet', '--assume', 'create.status=200'])
    const [url] = await started.printed(/http:\/\/\S+/)
    const args = verify.map((word) => word.replace('http://127.0.0.1:4010', url))
    expect(await finish(['verify', ...args], { cwd: folder })).toMatchObject({ code: 0 })
    const imitating = run(['--assumptions', 'learned.json', '--port', '0'], { cwd: folder })
    await imitating.printed(/Assumed {2}create\.status=200\n/)
    await rm(folder, { recursive: true })
  })

  it('varies: plant-mock vary -- npx vitest run', { timeout: 120_000 }, async () => {
    const command = commands.find(([first]) => first === 'vary') ?? []
    expect(command.join(' ')).toBe('vary -- npx vitest run')
    // One alternative is enough to see the command run; the worked example goes through all of them.
    const env = { PLANT_MOCK_ONLY: 'create.status' }
    const mended = await finish(command, { cwd: `${root}test/example/mended`, env })
    expect(mended).toMatchObject({
      code: 0,
      out: expect.stringContaining('None of 1 variations breaks the client.'),
    })
  })

  it.each(printing)('prints: plant-mock %s', async (...args) => {
    expect(await finish(args)).toMatchObject({ code: 0, error: '', out: expect.stringMatching(/\w/) })
  })

  it('with curl gets the answer that stands below it', async () => {
    const line = commandLines.find((line) => line.startsWith('curl')) ?? ''
    const [, body = ''] = /-d '([^']+)'/.exec(line) ?? []
    expect(line).toContain("-X POST -H 'Authorization: Bearer alice' -H 'Content-Type: application/json'")
    const started = run(['--port', '0', '--quiet'])
    const [url] = await started.printed(/http:\/\/\S+/)
    const response = await fetch(`${url}/plants`, {
      method: 'POST',
      headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
      body,
    })
    const [shown] = blocks.filter(({ language }) => language === 'json')
    expect(await response.json()).toEqual(JSON.parse(shown?.text ?? ''))
  })

  it.each(commandLines.filter((line) => line.startsWith('curl') && line.includes('/__plant-mock/')))(
    'controls the mock: %s',
    async (line) => {
      const { url } = await serve(['--quiet'])
      const [, method = line.includes(' -d ') ? 'POST' : 'GET'] = / -X (\w+)/.exec(line) ?? []
      const [, body] = / -d '([^']+)'/.exec(line) ?? []
      const [, name = 'accept', value = '*/*'] = / -H '([^:]+): ([^']+)'/.exec(line) ?? []
      const [address = ''] = /http:\/\/127\.0\.0\.1:4010[^\s']*/.exec(line) ?? []
      const response = await fetch(address.replace('http://127.0.0.1:4010', url), {
        method,
        headers: { [name]: value },
        ...(body !== undefined && { body }),
      })
      expect(response.ok).toBe(true)
      await response.body?.cancel()
    },
  )

  it('prints on start what the README shows', async () => {
    const started = run(['--port', '0'])
    const [url] = await started.printed(/http:\/\/[\d.:]+/)
    await fetch(`${url}/plants?limit=3`, { headers: { authorization: 'Bearer alice' } })
    const [text] = await started.printed(/[\s\S]*GET .* ms\n/)
    const [shown] = blocks.filter(({ language }) => language === 'text')
    expect(text.replaceAll(url, 'http://127.0.0.1:4010').replace(/\d+\.\d ms/, '2.1 ms')).toBe(shown?.text)
  })
})

describe('what the README repeats', () => {
  it('of the register is the register', () => {
    const values = (row: (typeof assumptionRegistry)[number]) =>
      row.alternatives.map((value) => `\`${value}\``).join(', ')
    const rows = assumptionRegistry
      .filter(({ alternatives }) => alternatives.length > 0)
      .map(
        (row) =>
          `| \`${row.id}\`${row.rare ? ' \\*' : ''} | ${row.question} | \`${row.default}\` | ${values(row)} |`,
      )
    const plain = (table: string) => table.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
    expect(plain(section('register') ?? '')).toBe(
      ['| assumption | question | default | alternatives |', '| --- | --- | --- | --- |', ...rows, ''].join(
        '\n',
      ),
    )
  })

  it('of the help is the help', async () => {
    const { out } = await finish(['--help'])
    expect(section('help')).toBe(`\`\`\`text\n${out}\`\`\`\n`)
  })
})
