import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { StartedPlantMock } from 'plant-mock/node'
import { createServer, type InlineConfig, type ViteDevServer } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { skipsRedis, startRedis } from '../support/redis-server.ts'
import { launchChromium, skipsBrowser } from './browser/chromium.ts'
import { finish, root, run, stopAll } from './support/cli.ts'
import { installExample } from './support/examples.ts'
import { notRun, runCommand, type Shell } from './support/guide-commands.ts'
import { blocks, codeBlocks, codeFiles, commandsIn, documents } from './support/guides.ts'
import { runPlaywright } from './support/playwright.ts'
import { runVitest, type VitestReport } from './support/vitest.ts'

/** Inside the package, `plant-mock` resolves to the build through the package's own exports. */
const folder = `${root}test/package/.guides`
const isTest = (name: string): boolean => name.endsWith('.test.ts')

/** `.ci/consumers` runs these files with Jest and next/jest. */
const forJest = codeBlocks.filter(({ text }) => /\bmodule\.exports\b|\brequire\(/.test(text)).map(({ name }) => name)

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true })
  for (const part of ['tests', 'app']) await mkdir(`${folder}/${part}`, { recursive: true })
  for (const [name, text] of codeFiles)
    if (!forJest.includes(name))
      await writeFile(`${folder}/${isTest(name) || name.startsWith('vitest.') ? 'tests' : 'app'}/${name}`, text)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(stopAll)

const servers: ViteDevServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const develop = async (config: InlineConfig): Promise<string> => {
  const server = await createServer({ logLevel: 'silent', ...config, server: { host: '127.0.0.1', port: 0 } })
  servers.push(server)
  await server.listen()
  return server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? ''
}

describe('every block of the guides', () => {
  it('is in a language that the tests run or check', () => {
    const known = ['ts', 'js', 'json', 'ndjson', 'sh', 'text', 'yaml', 'html']
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([])
  })

  it('of output names the address that its command has', () => {
    const shown = blocks
      .filter(({ language }) => language === 'text')
      .flatMap(({ text }) => text.match(/https?:\/\/[\w.:]+/g) ?? [])
    expect([...new Set(shown)]).toEqual(['http://127.0.0.1:4010'])
  })

  it('of code has a file name that no other block has', () => {
    const names = codeBlocks.map(({ name }) => name)
    expect(codeBlocks.filter(({ name }, i) => names.indexOf(name) !== i)).toEqual([])
  })

  it('of code is a test file, or a module that one of the tests below or a command loads', () => {
    const modules = [...codeFiles.keys()].filter((name) => !isTest(name)).sort()
    expect(modules.filter((name) => !forJest.includes(name))).toEqual([
      'browser.ts', // browser.test.ts
      'handlers.mjs', // --handlers
      'middleware.ts',
      'plants.spec.ts',
      'playwright.config.ts',
      'replica.ts',
      'vite.config.ts',
      'vitest.config.ts',
    ])
  })

  it('of JSON parses, and matches the JSON Schema that it names', () => {
    for (const { language, text } of blocks) {
      if (language !== 'json') continue
      const value = JSON.parse(text) as { $schema?: string }
      const [, name] = /node_modules\/plant-mock\/(fixtures\/.*)$/.exec(value.$schema ?? '') ?? []
      if (name === undefined) continue
      const ajv = new Ajv2020({ allowUnionTypes: true, formats: { int32: true, int64: true } })
      const isValid = ajv.validate(JSON.parse(readFileSync(`${root}${name}`, 'utf8')), value)
      expect({ text, isValid, errors: ajv.errors }).toMatchObject({ isValid: true })
    }
  })
})

describe('the guide on environments', () => {
  const { text = '' } = documents.find(({ file }) => file.endsWith('environments.md')) ?? {}
  const names = [...text.matchAll(/^```\w+\n(?:\/\/|#) (\S+)$/gm)].map(([, name = '']) => name)

  it('has only code that .ci/consumers runs or checks with the packages that it needs', () => {
    const consumers = readFileSync(`${root}.ci/consumers.ts`, 'utf8')
    expect(names).toHaveLength(text.match(/^```\w+$/gm)?.length ?? 0)
    expect(names.filter((name) => !consumers.includes(name))).toEqual([])
  })
})

describe.skipIf(skipsBrowser())('the page for a report of mutate', () => {
  it('shows the mutants in the contract, with the script of the package that it names', async () => {
    const client = `${folder}/list.test.mjs`
    await writeFile(
      client,
      `import { test } from 'node:test'
test('lists', () => fetch(process.env.PLANT_MOCK_URL + '/plants', { headers: { authorization: 'Bearer alice' } }))
`,
    )
    const args = ['--only', 'list.noName', '--reporter', 'json', '--', 'node', '--test', client]
    const { code, out } = await finish(['mutate', ...args])
    const pages = blocks.filter(({ language }) => language === 'html')
    expect([code, pages.length]).toEqual([1, 1])
    const script = new URL(import.meta.resolve('mutation-testing-elements/mutation-test-elements.js'))
    const files = new Map([
      ['http://127.0.0.1:4010/mutation.html', { contentType: 'text/html', body: pages[0]?.text ?? '' }],
      ['http://127.0.0.1:4010/mutation.json', { contentType: 'application/json', body: out }],
      [
        'https://unpkg.com/mutation-testing-elements@3',
        { contentType: 'text/javascript', body: readFileSync(script, 'utf8') },
      ],
    ])
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.route('**', (route) => route.fulfill(files.get(route.request().url()) ?? { status: 404 }))
    await page.goto('http://127.0.0.1:4010/mutation.html')
    await page.getByRole('link', { name: 'contract.md' }).click()
    await page.getByText('👽 Survived (1)').waitFor()
    await page.getByText('The service keeps a store of plants.').waitFor()
  })
})

describe('every block in TypeScript of all documents', () => {
  it('passes the type check with the types of the package', async () => {
    const path = `${folder}/types`
    await mkdir(path, { recursive: true })
    for (const { text: document } of documents)
      for (const [, name = '', code = ''] of document.matchAll(/^```tsx?\n\/\/ ([\w.-]+)\n([\s\S]*?)^```$/gm))
        await writeFile(`${path}/${name}`, code)
    const elsewhere = ['axios', 'cypress', 'bun:test'].map((name) => `declare module '${name}'\n`)
    await writeFile(
      `${path}/elsewhere.d.ts`,
      `${elsewhere.join('')}declare const it: any, cy: any, Cypress: any, Deno: any\n`,
    )
    const compilerOptions = {
      ...{ strict: true, noImplicitAny: false, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      ...{ module: 'nodenext', target: 'es2022', types: ['node'], lib: ['es2023', 'dom', 'dom.iterable'] },
    }
    await writeFile(`${path}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const tsc = `${root}node_modules/typescript/bin/tsc`
    const checked = await promisify(execFile)(process.execPath, [tsc, '-p', path]).catch(
      (error: { stdout: string }) => error,
    )
    expect(checked.stdout).toBe('')
  })
})

describe('every code block of the guides', () => {
  it('passes if it is a test', async () => {
    // `vmThreads` isolates each file in a context, which starts faster than a process.
    const { out, error } = await runVitest(`${folder}/tests`, ['--pool', 'vmThreads', '--reporter', 'json'])
    expect(error).toBe('')
    const result = JSON.parse(out) as VitestReport
    const failures = result.testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ failureMessages }) => failureMessages),
    )
    expect(failures).toEqual([])
    expect(result).toMatchObject({ success: true, numPendingTests: 0 })
    expect(result.testResults).toHaveLength([...codeFiles.keys()].filter(isTest).length)
    for (const { assertionResults } of result.testResults) expect(assertionResults).not.toEqual([])
  })

  it('loads if it is the middleware', async () => {
    const { app } = (await import(pathToFileURL(`${folder}/app/middleware.ts`).href)) as { app: unknown }
    expect(app).toBeTypeOf('function')
  })

  it.skipIf(skipsRedis)('serves the plants of the store if it is a replica', async () => {
    const redis = await startRedis()
    vi.stubEnv('PLANT_MOCK_STORE', redis.url)
    const { replica } = (await import(pathToFileURL(`${folder}/app/replica.ts`).href)) as { replica: StartedPlantMock }
    const response = await fetch(`${replica.url}/plants?limit=2`, { headers: { authorization: 'Bearer alice' } })
    expect([replica.sharedStore, await response.json()]).toEqual([redis.url, [expect.anything(), expect.anything()]])
    vi.unstubAllEnvs()
    await replica.close()
    await redis.close()
  })

  it('starts the command whose address it waits for if it is the configuration of Playwright', async () => {
    const file = pathToFileURL(`${folder}/app/playwright.config.ts`).href
    const { default: config } = (await import(file)) as { default: { webServer: { command: string; url: string } } }
    const { command, url } = config.webServer
    expect([command, url]).toEqual([`npx plant-mock --port ${new URL(url).port}`, 'http://127.0.0.1:4010'])
  })

  it('serves plants if it is the configuration of Vite', async () => {
    const url = await develop({ root: `${folder}/app`, configFile: `${folder}/app/vite.config.ts` })
    const response = await fetch(`${url}/api/plants`, { headers: { authorization: 'Bearer carol' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  it.skipIf(skipsBrowser())(
    'passes if it is for Playwright, on an application that requests another address',
    async () => {
      const url = await develop({
        root: await installExample('vite'),
        configFile: false,
        cacheDir: `${folder}/cache`,
        define: { 'import.meta.env.VITE_PLANT_STORE': '"https://api.example.com"' },
      })
      const tests = await runPlaywright('test/package/playwright/playwright.config.ts', {
        args: ['--project', 'guides'],
        env: { APP_URL: url },
      })
      expect(tests).toMatchObject([{ outcome: 'expected', errors: [] }])
    },
  )
})

describe('every command of the guides', () => {
  const secrets = { PLANT_MOCK_TOKEN: 'alice', PLANT_MOCK_OTHER_TOKEN: 'bob' }
  const workflowCommands = (yaml: string) =>
    commandsIn([...yaml.matchAll(/^ *- run: (.*)$/gm)].map(([, command]) => command).join('\n')).map((command) => ({
      ...command,
      env: { ...secrets, ...command.env },
    }))
  const shellBlocks = blocks
    .filter(({ language }) => language === 'sh' || language === 'yaml')
    .map(({ guide, language, text, next }) => ({
      guide,
      commands: language === 'sh' ? commandsIn(text) : workflowCommands(text),
      text: text.trim(),
      next,
    }))

  it('runs, except for a few that the guides need', () => {
    const texts = shellBlocks.flatMap(({ commands }) => commands.map(({ text }) => text))
    expect(Object.keys(notRun).filter((text) => !texts.includes(text))).toEqual([])
  })

  it.each(shellBlocks)('runs: $guide: $text', async ({ commands, next }) => {
    const shell: Shell = { folder: await mkdtemp(`${folder}/work-`) }
    onTestFinished(async () => {
      shell.server?.child.kill('SIGKILL')
      await shell.store?.close()
    })
    for (const command of commands) {
      await runCommand(command, shell)
      const { response } = shell
      if (response === undefined) continue
      if (command === commands.at(-1) && next?.language === 'json')
        expect(await response.json(), command.text).toEqual(JSON.parse(next.text))
      else {
        const [, preferred = '200'] = /Prefer: code=(\d+)/.exec(command.text) ?? []
        const status = response.ok ? 200 : response.status
        expect(status, `${command.text}: ${response.status}`).toBe(Number(preferred))
      }
      if (!response.bodyUsed) await response.body?.cancel()
      delete shell.response
    }
  })

  it('prints the output that the README shows on start', async () => {
    const started = run(['--port', '0'])
    const [url] = await started.printed(/http:\/\/[\d.:]+/)
    await fetch(`${url}/plants?limit=3`, { headers: { authorization: 'Bearer alice' } })
    const [text] = await started.printed(/[\s\S]*GET .* ms\n/)
    const shown = blocks.find(({ guide, language }) => guide === 'README.md' && language === 'text')
    expect(text.replaceAll(url, 'http://127.0.0.1:4010').replace(/ +\d+\.\d ms/, '     2.1 ms')).toBe(shown?.text)
  })
})
