import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import { assumptionRegistry } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { plantMock } from 'plant-mock/vite'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createServer } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'
import { launchChromium, skipsBrowser } from './browser/chromium.ts'
import { root, run, serve, stopAll } from './support/cli.ts'

const views = ['requests', 'plants', 'assumptions', 'faults']
const secret = 'a-token-of-forty-characters-that-is-real'

describe('the page', () => {
  afterEach(stopAll)

  it('is smaller than 40 kB with its script and styles, compressed', () => {
    const files = ['index.html', 'main.js', 'main.css'].map((file) => readFileSync(`${root}dist/dashboard/${file}`))
    expect(gzipSync(Buffer.concat(files)).length).toBeLessThan(40_000)
  })

  it('is shown in the README by a screenshot smaller than 150 kB', () => {
    const picture = 'src/server/dashboard/page/screenshot.png'
    expect(readFileSync(`${root}README.md`, 'utf8')).toContain(`](${picture})`)
    const bytes = readFileSync(`${root}${picture}`)
    expect([bytes.subarray(1, 4).toString(), bytes.length < 150_000]).toEqual(['PNG', true])
  })

  it('is sent to browsers, with a policy against foreign resources; other clients get the index as JSON', async () => {
    const { url } = await serve(['--quiet'])
    for (const accept of ['*/*', 'text/html;q=0, application/json']) {
      const index = await fetch(`${url}/__plant-mock/`, { headers: { accept } })
      expect(await index.json()).toMatchObject({ name: 'plant-mock' })
    }
    const page = await fetch(`${url}/__plant-mock`, { headers: { accept: 'text/html' } })
    expect([page.url, await page.text()]).toEqual([`${url}/__plant-mock/`, expect.stringContaining('<!doctype html>')])
    const policy = page.headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule)
    expect(policy).not.toContain('unsafe')
  })

  it('is refused where the control interface is off', async () => {
    const { url } = await serve(['--quiet', '--host', '0.0.0.0'])
    const response = await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/__plant-mock/`, {
      headers: { accept: 'text/html' },
    })
    expect(response.status).toBe(403)
  })
})

describe.skipIf(skipsBrowser())('the dashboard', () => {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    browser = await launchChromium()
    folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true })
  })
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    stopAll()
  })

  const open = async (args: readonly string[] = [], view = 'requests', options: BrowserContextOptions = {}) => {
    const { url } = await serve(['--quiet', ...args])
    const context = await browser.newContext(options)
    closing.push(() => context.close())
    const page = await context.newPage()
    const errors: string[] = []
    const asked = new Set<string>()
    page.on('pageerror', ({ message }) => errors.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text())
    })
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    await page.goto(`${url}/__plant-mock/#${view}`)
    await page.getByText('live', { exact: true }).waitFor()
    return { page, url, mock: connectPlantMock(url), errors, asked }
  }
  const expectAccessible = async (page: Page, view: string): Promise<void> => {
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
      return violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html])
    })
    expect({ view, found: found.filter(([, impact]) => impact !== 'minor') }).toEqual({ view, found: [] })
  }
  const rows = (page: Page) => page.locator('table.requests tbody tr')

  it('shows requests as they arrive, newest first, and filters them', async () => {
    const { page, url, errors } = await open()
    await page.getByText(`curl -H 'Authorization: Bearer alice' '${url}/plants?limit=3'`).waitFor()
    await fetch(`${url}/plants?page=2`, as('alice'))
    await page.getByText('Send the first request').waitFor({ state: 'hidden' })
    await fetch(`${url}/plants`)
    await page.getByText('2 requests').waitFor()
    const texts = await rows(page).allInnerTexts()
    expect(texts[0]).toMatch(/GET\s+\/plants\s*violates contract 5\s+401\s/)
    expect(texts[1]).toMatch(
      /GET\s+\/plants\?page=2\s*violates contract 4\.2\s+200\s+caller-1\s+guess: list\.defaultLimit=none/,
    )
    await page.getByLabel('Filter').fill('get 401')
    await page.getByText('1 of 2 requests').waitFor()
    await page.getByLabel('Filter').fill('')
    await fetch(`${url}/plants?limit=1`, as('alice'))
    await page.getByText('3 requests').waitFor()
    await page.getByLabel('Violations only').check()
    await page.getByText('2 of 3 requests').waitFor()
    await page.getByRole('button', { name: 'Clear requests' }).click()
    await page.getByText('No requests yet.').waitFor()
    expect(errors).toEqual([])
  })

  it('works under Vite over HTTPS, where browsers use HTTP/2', async () => {
    const tls = (name: string) => readFileSync(`${root}test/package/support/tls/${name}.pem`)
    await writeFile(join(folder, 'index.html'), '<title>The page of the application</title>')
    const server = await createServer({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      plugins: [plantMock()],
      server: { host: '127.0.0.1', port: 0, https: { key: tls('key'), cert: tls('cert') } },
    })
    closing.push(() => server.close())
    await server.listen()
    const url = server.resolvedUrls?.local[0] ?? ''
    expect(url).toMatch(/^https:/)
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    closing.push(() => context.close())
    const page = await context.newPage()
    await page.goto(`${url}api/__plant-mock/#requests`)
    await page.getByText('live', { exact: true }).waitFor()
    const protocol = await page.evaluate(async () => {
      const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' }
      await fetch('/api/plants', { method: 'POST', headers, body: JSON.stringify({ id: 777, name: 'Fern', tag: 'x' }) })
      const [page] = performance.getEntriesByType('navigation')
      return (page as PerformanceNavigationTiming).nextHopProtocol
    })
    expect(protocol).toBe('h2')
    await page.getByText('1 request', { exact: true }).waitFor()
    expect(await rows(page).allInnerTexts()).toEqual([expect.stringMatching(/POST\s+\S*\/plants\s+201/)])
    await page.getByRole('link', { name: 'Assumptions' }).click()
    await page.getByLabel('create.status').selectOption('200')
    await page.getByText('1 of the last 1 response would differ: POST /').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('create.status is now 200.').waitFor()
  })

  it('shows headers and bodies of a request without its token, and copies it', async () => {
    const { page, url } = await open([], 'requests', { permissions: ['clipboard-read', 'clipboard-write'] })
    await fetch(`${url}/plants`, post({ id: 7, name: secret, tag: 'x' }, { authorization: `Bearer ${secret}` }))
    await page.getByRole('button', { name: '/plants' }).click()
    const detail = page.getByRole('dialog', { name: 'Request' })
    await detail.getByText('createPlant').waitFor()
    const text = await detail.textContent()
    expect(text).toContain('authorization: Bearer caller-1')
    expect(await detail.getByText('authorization: Bearer').isVisible()).toBe(false)
    await detail
      .getByText(/^\d+ headers$/)
      .first()
      .click()
    expect(await detail.getByText('authorization: Bearer').isVisible()).toBe(true)
    expect(text).toContain('"name": "caller-1"')
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await detail.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied as curl').waitFor()
    expect(await copied()).toMatch(new RegExp(`^curl -X POST -H "Authorization: Bearer \\$TOKEN" .*'${url}/plants'$`))
    await detail.getByRole('button', { name: 'Copy as Vitest test' }).click()
    await page.getByText('Copied as Vitest test').waitFor()
    expect(await copied()).toContain('...bearer("caller-1")')
    expect(await page.content()).not.toContain(secret)
    await page.keyboard.press('Tab')
    await detail.getByRole('button', { name: 'Close' }).click()
    await detail.waitFor({ state: 'hidden' })
  })

  it('leads from a request to the cited text of the contract, and to every assumption that its header names', async () => {
    const { page, url, errors } = await open()
    const { headers } = await fetch(`${url}/plants?page=2`, as('alice'))
    const names = /names="(.*)"/.exec(headers.get('plant-mock-source') ?? '')?.[1]?.split(' ') ?? []
    expect(names.length).toBeGreaterThan(3)
    await page.getByRole('button', { name: '/plants?page=2' }).click()
    const detail = page.getByRole('dialog', { name: 'Request' })
    await detail.getByRole('button', { name: 'contract 4.2' }).first().click()
    const dialog = page.getByRole('dialog', { name: '4.2 List plants' })
    await dialog.getByText('the maximum number of results to return').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    for (const name of names) await detail.getByRole('link', { name, exact: true }).waitFor()
    const [name = ''] = names
    await detail.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await page.getByLabel('Search').fill('create.emptyStrings')
    await page.getByRole('button', { name: 'contract 2.4' }).click()
    await page.locator('dialog').getByText('Length limits, formats, allowed values').waitFor()
    expect(errors).toEqual([])
  })

  it('filters plants by caller and by text, and escapes markup in them', async () => {
    const { page, errors, mock } = await open(['--fixtures', 'garden', '--fixtures', 'edge-cases'], 'plants')
    const markup = '<script>'
    await page.getByLabel('Search').fill(markup)
    const shown = page.locator('table.plants tbody tr')
    await page.getByText(/^\d+ of \d+ plants$/).waitFor()
    expect(await shown.count()).toBeGreaterThan(0)
    expect((await shown.first().textContent())?.toLowerCase()).toContain(markup)
    expect(await page.locator('main script, main img').count()).toBe(0)
    await page.getByLabel('Search').fill('nothing like this')
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    const last = shown.nth((await mock.plants.all()).length - 1)
    await last.waitFor()
    await page.getByLabel('Visible to').selectOption('caller-1')
    await last.waitFor({ state: 'detached' })
    await page.getByLabel('Visible to').selectOption('')
    await last.waitFor()
    expect(errors).toEqual([])
  })

  it('shortens a long plant in its row and in messages', async () => {
    const { page, mock } = await open(['--fixtures', 'empty'], 'plants')
    const long = 'x'.repeat(15_000)
    await mock.seed([{ id: 1, name: long, tag: long, access: [long] }])
    const row = page.locator('table.plants tbody tr')
    await row.waitFor()
    const heightOf = async (element: typeof row) => (await element.boundingBox())?.height
    expect(await heightOf(row)).toBeLessThan(700)
    await row.getByRole('button', { name: 'Delete' }).click()
    const message = page.getByText('Deleted xxx')
    await message.waitFor()
    expect(await heightOf(message)).toBeLessThan(700)
  })

  it('adds a plant through the service, and shows why one is refused', async () => {
    const { page, mock } = await open(['--fixtures', 'empty'], 'plants')
    await page.getByLabel('ID', { exact: true }).fill('seven')
    await page.getByLabel('Name', { exact: true }).fill('Rosa gallica')
    await page.getByLabel('Tag', { exact: true }).fill('flower')
    await page.getByRole('button', { name: 'Add' }).click()
    const field = page.locator('label', { hasText: 'id must be an integer, not a string.' })
    await field.getByRole('textbox').fill('7')
    await page.keyboard.press('Enter')
    await page.getByText('Added Rosa gallica.').waitFor()
    const inputs = ['ID', 'Name', 'Tag'].map((name) => page.getByLabel(name, { exact: true }).inputValue())
    expect(await Promise.all(inputs)).toEqual(['8', '', ''])
    await page.getByRole('cell', { name: 'Rosa gallica', exact: true }).waitFor()
    expect(await mock.plants.all()).toEqual([{ id: 7, name: 'Rosa gallica', tag: 'flower', access: ['alice'] }])
  })

  it('shows a refusal at each invalid field, and in the form if it names no field', async () => {
    const { page, mock } = await open(['--fixtures', 'empty'], 'plants')
    await mock.seed([{ id: 7, name: 'Mint', tag: 'herb' }])
    await page.getByText('1 plant', { exact: true }).waitFor()
    const fieldWith = (label: string, text: string) => page.locator('label', { hasText: label }).getByText(text)
    const add = page.getByRole('button', { name: 'Add', exact: true })
    await page.getByLabel('ID', { exact: true }).fill('7')
    await add.click()
    await fieldWith('ID', 'A plant with id 7 exists.').waitFor()
    await mock.assume({ 'create.emptyStrings': 'reject' })
    await add.click()
    await fieldWith('Name', 'name must not be empty.').waitFor()
    await fieldWith('Tag', 'tag must not be empty.').waitFor()
    await mock.assume({ 'error.body': 'json' })
    await add.click()
    await page.getByText('name must not be empty; tag must not be empty.').waitFor()
    expect(await page.locator('label .problem').count()).toBe(0)
    await mock.assume({ 'error.body': 'empty' })
    await add.click()
    await page.getByText('Status 400 Bad Request').waitFor()
    await mock.assume({ 'error.body': 'problem', 'auth.tokens': 'listed' })
    await add.click()
    await fieldWith('Caller', 'token').locator('visible=true').nth(1).waitFor()
    await mock.assume({ 'auth.tokens': 'any' })
    await mock.fail({ reset: true, times: 1 })
    await add.click()
    await page.getByText('Status none: the connection was reset').waitFor()
    expect(await page.locator('label .problem').count()).toBe(0)
  })

  it('escapes the name of a field in the refusal of a request', async () => {
    const { page, url } = await open(['--fixtures', 'empty', '--assume', 'create.unknownFields=reject'])
    await fetch(
      `${url}/plants`,
      post({ id: 7, name: 'Mint', tag: 'x', '\u202elive\u0007': 1 }, as('alice').headers as Record<string, string>),
    )
    await page.getByText('1 request', { exact: true }).waitFor()
    const text = '\\u202elive\\u0007 is not a field of a plant'
    expect(await rows(page).locator('.mark').getAttribute('title')).toContain(text)
    await rows(page).getByRole('button', { name: '/plants', exact: true }).click()
    await page.locator('.violation', { hasText: text }).waitFor()
    await page.getByRole('region', { name: 'Request: body' }).getByText('\\u202elive\\u0007').waitFor()
  })

  it('edits and deletes plants, with pseudonyms for callers, and removes all', async () => {
    const { page, mock, errors } = await open(['--fixtures', 'empty'], 'plants')
    await mock.seed([
      { id: 1, name: 'Mint', tag: 'herb', access: [secret] },
      { name: 'Aloe', tag: 'succulent' },
      { name: 'Aloe', tag: 'succulent' },
      { id: 3, name: 'Oak', tag: 'tree' },
    ])
    await page.getByText('4 plants').waitFor()
    await page.getByRole('button', { name: 'Edit Mint' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit plant' })
    await dialog.getByLabel('ID', { exact: true }).fill('x')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('id must be an integer').waitFor()
    await dialog.getByLabel('ID', { exact: true }).fill('2')
    await dialog.getByLabel('Name').fill('Sage')
    await dialog.getByLabel('Callers').fill('caller-1, bob')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'caller-1, caller-2' }).waitFor()
    expect(await mock.plants.all()).toContainEqual({ id: 2, name: 'Sage', tag: 'herb', access: [secret, 'bob'] })
    await page.getByRole('button', { name: 'Delete Aloe' }).first().click()
    await page.getByText('Deleted Aloe.').waitFor()
    await page.getByText('3 plants').waitFor()
    await page.getByRole('button', { name: 'Edit Oak' }).click()
    await mock.plants.update({ id: 3 }, { tag: 'changed' })
    await dialog.getByLabel('Name').fill('Elm')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('This plant has changed in the meantime.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete Oak' }).click()
    await page.getByText('Deleted Oak.').waitFor()
    expect(await page.content()).not.toContain(secret)
    const before = await mock.plants.all()
    await page.getByRole('button', { name: 'Remove all plants' }).click()
    await page.getByText('0 plants').waitFor()
    await page.getByText('The mock has no plants. Add one').waitFor()
    expect(await mock.plants.all()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 plants').waitFor()
    expect(await mock.plants.all()).toEqual(before)
    await page.getByRole('button', { name: 'Delete Aloe' }).click()
    await page.getByText('1 plant', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 plants').waitFor()
    expect(await mock.plants.all()).toEqual(before)
    expect(errors).toEqual([])
  })

  it('sends a request again as its caller, or another one that is edited', async () => {
    const { page, url, mock, errors } = await open(['--fixtures', 'empty'])
    await fetch(`${url}/plants`, post({ id: 7, name: 'Mint', tag: 'x' }, { authorization: `Bearer ${secret}` }))
    await page.getByRole('button', { name: '/plants' }).click()
    const detail = page.getByRole('dialog', { name: 'Request' })
    await detail.getByRole('button', { name: 'Send again' }).click()
    await detail.getByText('409 Conflict').waitFor()
    await detail.getByText('create.duplicateId=conflict').waitFor()
    await detail.getByRole('button', { name: 'Edit and send' }).click()
    const form = page.getByRole('dialog', { name: 'Send a request' })
    expect(await form.getByLabel('Caller').inputValue()).toBe('caller-1')
    await form.getByLabel('Body').fill('{"id":8,"name":"Sage","tag":"x"}')
    await form.getByRole('button', { name: 'Send' }).click()
    await detail.getByText('201 Created').waitFor()
    await page.getByRole('button', { name: 'Send a request…' }).click()
    await form.getByLabel('Start from').selectOption('listPlants')
    await form.getByLabel('Caller').fill('caller-1')
    await form.getByLabel('Path').fill('plants')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('Send a request such as').waitFor()
    await form.getByLabel('Path').fill('/plants?limit=1')
    await form.getByRole('button', { name: 'Send' }).click()
    await detail.getByText('200 OK').waitFor()
    expect((await mock.requests.all({ caller: secret })).map(({ status }) => status)).toEqual([201, 409, 201, 200])
    expect(await page.content()).not.toContain(secret)
    expect(errors).toEqual([])
  })

  it('says what decided each response', async () => {
    const { page, url, mock } = await open()
    await fetch(`${url}/plants?limit=3`, as('alice'))
    await mock.assume({ 'list.order': 'newest' })
    await fetch(`${url}/plants?limit=3`, as('alice'))
    await mock.fail({ status: 503, times: 1, delay: 1 })
    await fetch(`${url}/plants`, as('alice'))
    await fetch(`${url}/plants`)
    await page.getByText('4 requests').waitFor()
    expect(await rows(page).locator('.source').allInnerTexts()).toEqual([
      'guess: auth.status=401',
      'fault: status +1 ms',
      'guess: list.order=newest',
      'guess: list.order=added',
    ])
    expect(await rows(page).locator('.source').last().getAttribute('title')).toContain('list.order')
    const shown = rows(page).locator('td')
    const displays = await shown.evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).display))
    expect(new Set(displays)).toEqual(new Set(['table-cell']))
  })

  it('shows what a response would have been under another value, asks before a change, and undoes it', async () => {
    const { page, url, mock } = await open(['--fixtures', 'empty'])
    for (const id of [7, 8])
      await fetch(`${url}/plants`, post({ id, name: 'Mint', tag: 'x' }, { authorization: 'Bearer alice' }))
    await rows(page).last().getByRole('button').click()
    const guess = page.getByRole('dialog', { name: 'Request' }).locator('li', { hasText: 'create.status=201' })
    await guess.getByRole('button', { name: '200' }).click()
    const changed = guess.getByRole('region', { name: 'Difference' }).locator('del, ins')
    expect(await changed.allTextContents()).toEqual(['- 201 Created\n', '+ 200 OK\n'])
    await guess.getByRole('button', { name: 'Use create.status=200' }).click()
    await page.getByText('create.status is now 200.').waitFor()
    expect((await mock.assumptions())['create.status']).toBe(200)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    await page.getByRole('dialog', { name: 'Request' }).getByRole('button', { name: 'Close' }).click()
    await rows(page).first().getByRole('link', { name: 'guess: create.status=201' }).click()
    await page.getByText('decided 2 responses').waitFor()
    await page.getByLabel('create.status').selectOption('202')
    await page.getByText('2 of the last 2 responses would differ: POST /plants, POST /plants').waitFor()
    expect((await mock.assumptions())['create.status']).toBe(201)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('create.status').inputValue()).toBe('201')
  })

  it('shows the assumptions behind recent responses first, also when it starts there', async () => {
    const { page, url } = await open([], 'assumptions')
    await fetch(`${url}/plants?limit=3`, as('alice'))
    await page.reload()
    await page.getByRole('heading', { name: 'Behind recent responses' }).waitFor()
    expect(await page.locator('article h3').first().textContent()).toBe('list.order')
  })

  it('sends the first request from an empty list', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByRole('dialog', { name: 'Request' }).getByRole('heading', { name: '/plants?limit=3' }).waitFor()
  })

  it('filters requests by status, caller and source, says when none matches, and shows more than 200', async () => {
    const { page, url, mock } = await open()
    await fetch(`${url}/plants`)
    await fetch(`${url}/plants`, as('bob'))
    await page.getByText('2 requests').waitFor()
    await page.getByLabel('Status').selectOption('4xx')
    await page.getByText('1 of 2 requests').waitFor()
    await page.getByLabel('Caller').selectOption('caller-1')
    await page.getByText('none of 2 requests').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('2 requests', { exact: true }).waitFor()
    await page.getByLabel('Source').selectOption('fault')
    await page.getByText('none of 2 requests').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('2 requests', { exact: true }).waitFor()
    for (let count = 0; count < 199; count++) await mock.fetch('/plants?limit=0', as('alice'))
    await page.getByText('201 requests, showing the latest 200').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('201 requests', { exact: true }).waitFor()
    expect(await rows(page).count()).toBe(201)
  })

  it('is used by the keyboard, and has the open request in its address', async () => {
    const { page, url } = await open([], 'requests', { viewport: { width: 1280, height: 800 } })
    for (const limit of [1, 2, 3]) await fetch(`${url}/plants?limit=${limit}`, as('alice'))
    await page.getByText('3 requests').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    expect(await rows(page).locator('button[tabindex="0"]').count()).toBe(1)
    await rows(page).first().getByRole('button').focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('/plants?limit=2')
    await page.keyboard.press('Enter')
    const detail = page.getByRole('dialog', { name: 'Request' })
    await detail.getByRole('heading', { name: 'GET /plants?limit=2' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#requests/2')
    await page.reload()
    await detail.getByRole('heading', { name: 'GET /plants?limit=2' }).waitFor()
    await page.getByText('3 requests').waitFor()
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'hidden' })
    expect([await focused(), new URL(page.url()).hash]).toEqual(['/plants?limit=2', '#requests'])
    await page.keyboard.press('/')
    await page.keyboard.type('/?')
    expect(await page.getByLabel('Filter').inputValue()).toBe('/?')
    await page.getByText('none of 3 requests').waitFor()
    await page.getByRole('heading', { name: 'plant-mock' }).click()
    await page.getByText('Filter or search the view').waitFor()
  })

  it('lists only the keys that work in the view', async () => {
    const { page, mock } = await open(['--fixtures', 'empty'])
    const shown = () => page.locator('footer kbd:visible').allInnerTexts()
    expect(await shown()).toEqual(['/'])
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.locator('footer').getByText('Close the request').waitFor()
    await page.getByText('1 request', { exact: true }).waitFor()
    expect(await shown()).toEqual(['/', '↑ ↓', 'Enter', 'Escape'])
    await page.keyboard.press('Escape')
    await page.locator('footer').getByText('Close the request').waitFor({ state: 'hidden' })
    expect(await shown()).toEqual(['/', '↑ ↓', 'Enter'])
    await page.getByRole('link', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Add fault' }).waitFor()
    expect(await shown()).toEqual([])
    await mock.seed([{ id: 1, name: 'Mint', tag: 'herb' }])
    await page.getByRole('link', { name: 'Plants' }).click()
    await page.getByRole('button', { name: 'Delete Mint' }).click()
    await page.locator('footer').getByText('Undo the latest change').waitFor()
    expect(await shown()).toEqual(['/', 'u'])
  })

  it('says that no assumption matches the search, and clears the search', async () => {
    const { page } = await open([], 'assumptions')
    await page.getByLabel('Changed only').check()
    await page.getByText('All assumptions have their default values.').waitFor()
    await page.getByLabel('Search').fill('nothing like this')
    await page.getByText('No assumption matches.').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('All assumptions have their default values.').waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('')
    expect(await page.locator('article').count()).toBe(assumptionRegistry.length)
    expect(await page.getByRole('button', { name: 'Clear the filters' }).count()).toBe(0)
  })

  it('takes numbers and texts where an assumption does, and keeps what is typed when another one changes', async () => {
    const { page, mock } = await open([], 'assumptions')
    for (const group of ['list', 'error']) await page.locator('summary', { hasText: group }).click()
    await page.getByLabel('list.defaultLimit', { exact: true }).selectOption('N…')
    const input = page.getByLabel('list.defaultLimit: value')
    await input.fill('12')
    await mock.assume({ 'create.status': 200 })
    await page.getByText('1 assumption differs from the default.').waitFor()
    expect(await input.inputValue()).toBe('12')
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Set' }).click()
    await page.getByText('list.defaultLimit is now 12.').waitFor()
    await page
      .getByLabel('error.body', { exact: true })
      .selectOption(
        'JSON with {status}, {title}, {detail}, {path}, {field}, {400=text|413=text}, or TYPE "text with them"…',
      )
    await page.getByLabel('error.body: value').fill('{"code":"{status}"}')
    await page.locator('article', { hasText: 'error.body' }).getByRole('button', { name: 'Set' }).click()
    await page.getByText('error.body is now {"code":"{status}"}.').waitFor()
    expect(await mock.assumptions()).toMatchObject({ 'list.defaultLimit': 12, 'error.body': '{"code":"{status}"}' })
    await page.getByLabel('list.maxLimit', { exact: true }).selectOption('clamp:N or reject:N…')
    await page.getByLabel('list.maxLimit: value').fill('clamp:7')
    await page.locator('article', { hasText: 'list.maxLimit' }).getByRole('button', { name: 'Set' }).click()
    await page.getByText('list.maxLimit is now clamp:7.').waitFor()
    expect(await page.getByLabel('list.maxLimit', { exact: true }).inputValue()).toBe('clamp:7')
    await page.getByLabel('list.maxLimit', { exact: true }).selectOption('none (default)')
    await page.getByText('list.maxLimit is now none.').waitFor()
  })

  it('loads fixtures, and resets', async () => {
    const { page, mock } = await open([], 'plants')
    await page.getByText('24 plants').waitFor()
    await page.getByLabel('Built-in fixtures').selectOption('crowded')
    await page.getByRole('button', { name: 'Replace plants' }).click()
    await page.getByText('250 plants').waitFor()
    await mock.seed([{ id: 9, name: 'More', tag: 'x' }])
    await page.getByText('251 plants').waitFor()
    await page.getByRole('button', { name: 'Reset the mock' }).click()
    await page.getByText('250 plants').waitFor()
  })

  it('shows the registry of assumptions, and changes assumptions at once', async () => {
    const file = join(folder, 'learned.json')
    const observed = { host: 'staging.example', date: '2026-11-20' }
    await writeFile(file, JSON.stringify({ assumptions: { 'list.order': { value: 'newest', observed } } }))
    const { page, mock } = await open(['--assumptions', file], 'assumptions')
    await page.getByText('1 assumption differs from the default.').waitFor()
    expect(await page.locator('article').count()).toBe(assumptionRegistry.length)
    await page.getByText('learned at staging.example on 2026-11-20').waitFor()
    expect(await page.locator('article h3').first().textContent()).toBe('list.order')
    expect(await page.getByText('plant.states').isVisible()).toBe(false)
    for (const group of ['create', 'list']) await page.locator('summary', { hasText: group }).click()
    await page.getByText('Without alternatives').click()
    await page.getByText('plant.states').waitFor()
    await page.getByLabel('create.status').selectOption('200')
    await page.getByText('create.status is now 200.').waitFor()
    await page.getByLabel('list.order').selectOption('name')
    await page.getByText('list.order is now name.').waitFor()
    await page.getByLabel('list.order').focus()
    expect(await page.locator('article h3').first().textContent()).toBe('list.order')
    await page.getByText('learned at staging.example').waitFor({ state: 'detached' })
    await page.getByLabel('list.order').selectOption('newest')
    await page.getByText('learned at staging.example').waitFor()
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'newest' })
    await page.getByRole('button', { name: 'Restore defaults' }).click()
    await page.getByText('All assumptions have their default values.').waitFor()
    expect(await page.getByRole('button', { name: 'Restore defaults' }).isVisible()).toBe(false)
    await mock.assume({ 'create.status': 200 })
    await page.getByText('1 assumption differs from the default.').waitFor()
    await page.getByLabel('Changed only').check()
    await page.locator('article').nth(1).waitFor({ state: 'detached' })
    expect(await page.locator('article').count()).toBe(1)
  })

  it('adds faults for the next request and for the network, and clears them', async () => {
    const { page, url, mock } = await open([], 'faults')
    await page.getByText('No active faults.').waitFor()
    const { y, height } = (await page.getByRole('button', { name: 'Add fault' }).boundingBox()) ?? { y: 800, height: 0 }
    expect(y + height).toBeLessThan(800)
    await page.getByRole('button', { name: '503 Service Unavailable' }).click()
    await page.getByText('any request: status 503, once').waitFor()
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(503)
    await page.getByText('1 hit, 0 left').waitFor()
    const slow = page.getByRole('button', { name: 'Slow (0.3–1.5 s)', exact: true })
    for (const isOn of [true, false, true]) {
      await slow.click()
      await page.locator(`button[aria-pressed="${isOn}"]`, { hasText: /^Slow/ }).waitFor()
      expect((await mock.faults()).map(({ name }) => name)).toEqual([
        ...(isOn ? ['any request: delay 300 to 1500 ms'] : []),
        'any request: status 503, once',
      ])
    }
    await page.getByRole('button', { name: 'Clear all faults' }).click()
    await page.getByText('No active faults.').waitFor()
    await page.getByLabel('Operation').selectOption('createPlant')
    await page.getByLabel('Status', { exact: true }).fill('99')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('"status" must be a status from 200 to 599').waitFor()
    await page.getByLabel('Status', { exact: true }).fill('418')
    await page.getByLabel('Number of requests').fill('3')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('createPlant: status 418, 3 times').waitFor()
    expect(await mock.faults()).toMatchObject([{ remaining: 3 }])
  })

  it('undoes several changes, the latest first, and keeps the focus beside what it removes', async () => {
    const { page, mock } = await open(['--fixtures', 'empty'], 'faults')
    await mock.seed([{ id: 1, name: 'Mint', tag: 'herb' }])
    await mock.fail({ operation: 'createPlant', status: 418, body: { code: 7 }, times: 3 })
    await mock.fail({ caller: secret, delay: 20 })
    const before = (await mock.faults()).map(({ name, fault }) => ({ name, fault }))
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    await page.getByRole('button', { name: 'Remove any request of caller-1: delay 20 ms' }).click()
    await page.getByText('Removed any request of caller-1: delay 20 ms.').waitFor()
    expect(await focused()).toBe('Remove createPlant: status 418, 3 times')
    await page.getByRole('button', { name: 'Clear all faults' }).click()
    await page.getByText('No active faults.').waitFor()
    await page.getByRole('link', { name: 'Plants' }).click()
    await page.getByRole('button', { name: 'Delete Mint' }).click()
    await page.getByText('0 plants').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 plant', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Undo “Cleared all faults.”' }).click()
    await page.getByText('createPlant: status 418, 3 times').waitFor()
    await page.keyboard.press('u')
    await page.getByText('any request of caller-1: delay 20 ms').waitFor()
    expect((await mock.faults()).map(({ name, fault }) => ({ name, fault }))).toEqual(before)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    expect(await page.content()).not.toContain(secret)
  })

  it('shows the selected session', async () => {
    const { page, url, mock } = await open([], 'requests')
    await fetch(`${url}/plants`, as('alice'))
    await page.getByText('1 request', { exact: true }).waitFor()
    await mock.session('test 7').replaceFixtures([{ id: 1, name: 'Mint', tag: 'herb' }])
    await page.getByLabel('Session').selectOption('test 7')
    await page.getByText('No requests yet.').waitFor()
    await fetch(`${url}/plants`, { headers: { 'plant-mock-session': 'test 7', authorization: 'Bearer x' } })
    await page.getByText('1 request', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Plants' }).click()
    await page.getByText('1 plant', { exact: true }).waitFor()
  })

  it('says at a reset what Chromium makes of it, and shows no status for it', async () => {
    const { page, url, mock } = await open([], 'faults')
    const help = page.getByText('the browser silently repeats')
    await page.getByText(/this response; the service/).waitFor()
    expect(await help.count()).toBe(0)
    await page.getByLabel('Effect').selectOption('reset')
    await help.waitFor()
    expect(await page.getByLabel('Status', { exact: true }).count()).toBe(0)
    await mock.fail({ reset: true, times: 1 })
    await expect(fetch(`${url}/plants`, as('alice'))).rejects.toThrow()
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.locator('td.status', { hasText: 'reset' }).waitFor()
  })

  it('shows on every view that faults are active or assumptions changed, until they are not', async () => {
    const { page, url, mock } = await open([], 'plants')
    await mock.fail({ status: 503, times: 1 })
    await mock.assume({ 'create.status': 200 })
    await page.getByRole('link', { name: '1 active fault' }).waitFor()
    await page.getByRole('link', { name: '1 changed assumption' }).click()
    await page.getByText('1 assumption differs from the default.').waitFor()
    await fetch(`${url}/plants`, as('alice'))
    await page.getByRole('link', { name: '1 active fault' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Restore defaults' }).click()
    await page.getByRole('link', { name: '1 changed assumption' }).waitFor({ state: 'detached' })
  })

  it('asks for the control key when the mock requires one', async () => {
    const { url } = await serve(['--quiet'], { env: { PLANT_MOCK_CONTROL_KEY: 'key-of-the-tests' } })
    const context = await browser.newContext()
    closing.push(() => context.close())
    const page = await context.newPage()
    await page.goto(`${url}/__plant-mock/`)
    await page.getByLabel('Control key').fill('another-key')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('The mock refuses this key.').waitFor()
    await page.getByText('locked', { exact: true }).waitFor()
    await page.getByLabel('Control key').fill('key-of-the-tests')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('No requests yet.').waitFor()
    expect(page.url()).not.toContain('key-of-the-tests')
  })

  it('shows when it is disconnected, and reconnects when the mock restarts', async () => {
    const first = await serve(['--quiet'])
    const context = await browser.newContext()
    closing.push(() => context.close())
    const page = await context.newPage()
    await page.goto(`${first.url}/__plant-mock/`)
    await page.getByText('live', { exact: true }).waitFor()
    await fetch(`${first.url}/plants`, as('alice'))
    await rows(page).first().waitFor()
    first.child.kill('SIGKILL')
    await page.getByText('disconnected').waitFor()
    await page.getByText('The mock does not answer.').waitFor()
    await page.getByRole('link', { name: 'Faults' }).click()
    expect(await page.getByRole('button', { name: 'Add fault' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'Requests' }).click()
    await rows(page).first().waitFor()
    expect(await page.getByRole('button', { name: 'Clear requests' }).isDisabled()).toBe(true)
    const again = run(['--quiet', '--port', new URL(first.url).port])
    await again.printed(/http/)
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('From before the restart').waitFor()
    await page.getByText('No requests since the restart.').waitFor()
    expect(await page.locator('tbody.earlier').getByRole('button', { name: '/plants' }).count()).toBe(0)
  })

  it.each([
    { width: 360, height: 740, colorScheme: 'light' },
    { width: 1600, height: 900, colorScheme: 'dark' },
  ] as const)(
    'is accessible and fits at $width pixels with the $colorScheme colours',
    async ({ width, height, colorScheme }) => {
      const { page, url, mock, asked } = await open(['--fixtures', 'edge-cases'], 'requests', {
        viewport: { width, height },
        colorScheme,
        bypassCSP: true,
      })
      await fetch(`${url}/plants?page=1`, as('alice'))
      await mock.fail({ delay: 1 })
      await page.getByRole('button', { name: '/plants' }).click()
      await page.addScriptTag({ content: axe.source })
      for (const view of views) {
        await page.goto(`${url}/__plant-mock/#${view}`)
        await page.locator(`nav a[aria-current][href="#${view}"]`).waitFor()
        await page.waitForFunction(() => document.querySelector('main')?.textContent !== 'Loading…')
        await expectAccessible(page, view)
        for (const size of [
          { width: 768, height },
          { width, height },
        ]) {
          await page.setViewportSize(size)
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          expect({ view, size, overflow: Math.max(0, overflow) }).toEqual({ view, size, overflow: 0 })
        }
      }
      await page.goto(`${url}/__plant-mock/#plants`)
      await page
        .getByRole('button', { name: /^Edit / })
        .first()
        .click()
      await page.getByRole('dialog', { name: 'Edit plant' }).waitFor()
      await expectAccessible(page, 'edit plant')
      await page.keyboard.press('Escape')
      await page.goto(`${url}/__plant-mock/#requests`)
      await page.getByRole('button', { name: 'Send a request…' }).click()
      await page.getByRole('dialog', { name: 'Send a request' }).waitFor()
      await expectAccessible(page, 'send a request')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: '/plants' }).click()
      const detail = page.getByRole('dialog', { name: 'Request' })
      await detail.waitFor()
      await expectAccessible(page, 'request')
      if (width < 900) expect(await detail.boundingBox()).toEqual({ x: 0, y: 0, width, height })
      await page.keyboard.press('Escape')
      await page.locator('.requests button.path:focus').waitFor()
      expect([...asked]).toEqual([new URL(url).origin])
    },
  )
})
