import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { register } from 'plant-mock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { finish, type Running, root, run, stopAll } from './support/cli.ts'
import { blocks, codeFiles, commandLines, section } from './support/readme.ts'
import { runVitest, type VitestReport } from './support/vitest.ts'

/** Inside the package, so that `plant-mock` means what is built here, as the package's own exports say. */
const folder = `${root}test/package/.readme`

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, text] of codeFiles) await writeFile(`${folder}/${name}`, text)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(stopAll)

describe('every code block of the README', () => {
  const tests = [...codeFiles.keys()].filter((name) => name.endsWith('.test.ts'))

  it('is a test file, or a module that another test runs', () => {
    expect([...codeFiles.keys()].filter((name) => !tests.includes(name))).toEqual([
      'vitest.config.ts',
      'browser.ts',
      'middleware.ts',
    ])
    expect(tests.length).toBeGreaterThanOrEqual(5)
  })

  it('passes when it is a test', { timeout: 60_000 }, async () => {
    const { out, error } = await runVitest(folder, ['--reporter', 'json'])
    expect(error).toBe('')
    const result = JSON.parse(out) as VitestReport
    expect(result).toMatchObject({ success: true, numFailedTests: 0, numPendingTests: 0 })
    expect(result.testResults).toHaveLength(tests.length)
    for (const { assertionResults } of result.testResults) expect(assertionResults).not.toEqual([])
  })

  it('configures vitest, with the report that stands below it', { timeout: 60_000 }, async () => {
    const { code, out } = await runVitest(folder, ['shelf.test.ts', 'options.test.ts'])
    expect(code).toBe(0)
    const shown = blocks.find(({ text }) => text.startsWith('Outcomes of the contract'))
    expect(out).toContain(shown?.text)
  })

  it('loads when it is a module: the middleware', async () => {
    const { app } = (await import(pathToFileURL(`${folder}/middleware.ts`).href)) as { app: unknown }
    expect(app).toBeTypeOf('function')
  })
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
    const started: Running = run(free)
    const [url] = await started.printed(/http:\/\/\S+/)
    expect((await fetch(`${url}/plants`, { headers: { authorization: 'Bearer alice' } })).status).toBe(200)
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
    const values = (row: (typeof register)[number]) =>
      row.alternatives.map((value) => `\`${value}\``).join(', ')
    const rows = register
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
