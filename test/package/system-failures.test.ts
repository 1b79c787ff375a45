import { chmodSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connectPlantMock } from 'plant-mock/control'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { skipsOnWindows, skipsUnlessLinux } from '../support/skips.ts'
import { as } from '../support/targets.ts'
import { finish, preloaded, type RunOptions, root, run, serve, stopAll } from './support/cli.ts'

const isLinux = process.platform === 'linux'
const upstream = ['--upstream', 'http://127.0.0.1:9', '--upstream-for', 'all']
const verify = ['verify', 'http://127.0.0.1:9', '--token', 'alice']

const folder = await openFolder()
beforeAll(async () => {
  await mkdir(join(folder, 'folder.json'))
  await symlink('nowhere', join(folder, 'dangling.json'))
})
afterEach(stopAll)

const expectRefusal = async (args: readonly string[], reason: RegExp, options: RunOptions = {}): Promise<void> => {
  const { code, out, error } = await finish(args, { cwd: folder, ...options })
  expect({ code, out, lines: error.split('\n').length }).toEqual({ code: 2, out: '', lines: 2 })
  expect(error).toMatch(/^plant-mock: /)
  expect(error).toMatch(reason)
}

// `test/cli/unusable-files` covers the other options; under Vitest, a failed import has other errors.
it.each([
  ['folder.json', /module folder\.json is a folder\./],
  ['dangling.json', /module dangling\.json does not exist\./],
  [`${'x'.repeat(300)}.json`, /module x+\.json does not exist\./],
])('an unusable module of --handlers is named with the reason: %#', (name, reason) =>
  expectRefusal(['--handlers', name], reason),
)

/** Root passes every permission check: as root, the program runs as another user, from a readable copy. */
describe('missing permissions are reported', () => {
  let unprivileged: RunOptions
  let sandbox: string
  beforeAll(async () => {
    sandbox = join(folder, 'sandbox')
    for (const part of ['dist', 'fixtures', 'package.json'])
      await cp(join(root, part), join(sandbox, part), { recursive: true })
    for (const file of ['secret.json', 'secret.har'])
      await writeFile(join(sandbox, file), '{"plants":[]}', { mode: 0o000 })
    await mkdir(join(sandbox, 'locked'))
    await writeFile(join(sandbox, 'locked', 'plants.json'), '{"plants":[]}')
    await mkdir(join(sandbox, 'read-only'))
    chmodSync(folder, 0o755)
    chmodSync(join(sandbox, 'locked'), 0o000)
    chmodSync(join(sandbox, 'read-only'), 0o555)
    const isRoot = process.getuid?.() === 0
    const bin = join(sandbox, 'dist/bin.js')
    unprivileged = { cwd: sandbox, ...(isRoot && { as: { uid: 65_534, gid: 65_534, bin } }) }
  })
  afterAll(() => {
    chmodSync(join(sandbox, 'locked'), 0o700)
    chmodSync(join(sandbox, 'read-only'), 0o700)
  })

  it.skipIf(skipsOnWindows()).each<[args: readonly string[], reason: RegExp]>([
    [['--fixtures', 'secret.json'], /fixture file secret\.json cannot be read: EACCES/],
    [['--fixtures', 'locked/plants.json'], /fixture file locked\/plants\.json cannot be read: EACCES/],
    [['--assumptions', 'secret.json'], /assumptions file secret\.json cannot be read: EACCES/],
    [['--handlers', 'secret.json'], /module secret\.json cannot be loaded/],
    [['--cert', 'secret.json', '--key', 'secret.json'], /file secret\.json of --cert cannot be read: EACCES/],
    [['--tokens-map', 'secret.json', ...upstream], /secret\.json of --tokens-map cannot be read: EACCES/],
    [['--record', 'secret.har', ...upstream], /secret\.har cannot be read: EACCES/],
    [['--record', 'read-only/new.har', ...upstream], /--record cannot write read-only\/new\.har: EACCES/],
    [[...verify, '--learn', 'read-only/new.json'], /--learn cannot write read-only\/new\.json: EACCES/],
    [[...verify, '--learn', 'locked/new.json'], /--learn cannot write locked\/new\.json: EACCES/],
  ])('%j', (args, reason) => expectRefusal(args, reason, unprivileged))

  it('for a privileged port, with exit code 1', async ({ skip }) => {
    const setting = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
    const first = isLinux ? Number(await readFile(setting, 'utf8')) : 0
    if (first <= 80) return skip('unprivileged users may bind port 80 here')
    expect(await finish(['--port', '80'], unprivileged)).toEqual({
      code: 1,
      out: '',
      error: 'plant-mock: No permission to bind port 80. Use a port from 1024 up, or 0 for any free port.\n',
    })
  })
})

describe('standard streams and the environment', () => {
  const lost = 'plant-mock: Standard output cannot be written, and is lost: ENOSPC: no space left on device, write.\n'

  it.skipIf(skipsUnlessLinux()).each([[['--version']], [['generate', '--plants', '3']], [['contract']]])(
    '%j reports output that a full disk lost, and exits with 1',
    async (args) => {
      const { code, error } = await finish(args, { through: 'exec "$@" >/dev/full' })
      expect({ code, error }).toEqual({ code: 1, error: lost })
    },
  )

  it.skipIf(skipsUnlessLinux())('a server continues when the disk of its log is full', async () => {
    const port = await freePort()
    const { child, finished, printed } = run(['--port', String(port)], { through: 'exec "$@" >/dev/full' })
    await printed(/is lost/)
    for (let i = 0; i < 3; i++) expect((await fetch(`http://127.0.0.1:${port}/plants`, as('alice'))).status).toBe(200)
    child.kill('SIGTERM')
    expect(await finished).toEqual({ code: 1, out: '', error: lost })
  })

  it.skipIf(skipsUnlessLinux())('misuse has its exit code even if standard error cannot be written', async () => {
    const { code } = await finish(['--prot'], { through: 'exec "$@" 2>/dev/full' })
    expect(code).toBe(2)
  })

  it.each([
    ['without standard input', 'exec "$@" <&-'],
    ['without standard error', 'exec "$@" 2>&-'],
    ['without a home and a temporary folder', 'unset HOME; export TMPDIR=/nowhere; exec "$@"'],
    ['in a removed folder', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'],
  ])('serves %s', async (_, through) => {
    const { url, child, finished } = await serve(['--quiet'], { cwd: folder, through })
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
    child.kill('SIGTERM')
    expect(await finished).toEqual({ code: 0, out: `${url}\n`, error: '' })
  })

  it('reports in one line a system call that fails in a removed folder', () =>
    expectRefusal(['--handlers', 'handlers.js'], /^plant-mock: ENOENT: .*, uv_cwd\n$/, {
      through: 'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
    }))

  it('reports that vary cannot create its temporary folder', () =>
    expectRefusal(
      ['vary', '--', 'true'],
      /Failed to create a temporary folder: ENOENT.* Set TMPDIR to another folder\./,
      {
        env: { TMPDIR: '/nowhere' },
      },
    ))
})

describe('a clock that jumps back and forth by hours', () => {
  const env = preloaded(`
    const Real = Date
    let calls = 0
    globalThis.Date = class extends Real {
      constructor(...parts) {
        if (parts.length === 0) super(Date.now())
        else super(...parts)
      }
      static now() {
        return Real.now() + (calls++ % 2 === 0 ? -7_200_000 : 7_200_000)
      }
    }`)

  it('affects neither the order of the journal nor latency, timeouts and shutdown', async () => {
    const startTime = Date.now()
    const { url, child, finished } = await serve(['--latency', '1-3'], { env })
    const mock = await connectPlantMock(url)
    const waiting = mock.requests.waitFor({ operation: 'listPlants' }, { timeout: 60_000 })
    for (let i = 0; i < 4; i++) await (await fetch(`${url}/plants`, as('alice'))).text()
    expect((await waiting).status).toBe(200)
    const times = (await mock.requests.all()).map(({ time }) => Date.parse(time))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    const hour = 3_600_000
    expect(times.filter((time) => time < startTime - hour || time > startTime + hour)).toEqual([])
    await expect(mock.requests.waitFor({ operation: 'createPlant' }, { timeout: 1 })).rejects.toThrow()
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: 0, error: '' })
  })
})

describe('more connections than the limit of open files', () => {
  it.skipIf(skipsUnlessLinux())('are closed at once, and new ones are accepted when others have ended', async () => {
    const { url, child, finished } = await serve([], { through: 'ulimit -n 64; exec "$@"' })
    const port = Number(new URL(url).port)
    const sockets: Socket[] = []
    await new Promise<void>((resolve) => {
      for (let i = 0; i < 100; i++)
        sockets.push(
          connect(port, '127.0.0.1')
            .on('error', () => undefined)
            .on('close', () => resolve()),
        )
    })
    for (const socket of sockets) socket.destroy()
    const listStatus = () =>
      fetch(`${url}/plants`, as('alice')).then(
        ({ status }) => status,
        () => undefined,
      )
    let status = await listStatus()
    // Retries until the server has noticed that the other connections ended.
    while (status === undefined) status = await listStatus()
    expect(status).toBe(200)
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: 0, error: '' })
  })
})
