import { spawnSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createPlantMock, type PlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { loadFixtures, type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { beforeEach, describe, expect, it } from 'vitest'
import { openTestFolder } from '../../support/folder.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const aloe = { id: 8, name: 'Aloe vera', tag: 'succulent', access: ['alice'] }
const mint = { id: 9, name: 'Mint', tag: 'herb' }
const secret = 'a-token-of-forty-characters-that-is-real'

let folder: string
let file: string
beforeEach(async () => {
  folder = await openTestFolder()
  file = join(folder, 'plants.ndjson')
})
const { start: startServer } = useServers()
const notices: string[] = []
const start = async (options: StartOptions = {}): Promise<StartedPlantMock> => {
  notices.length = 0
  return startServer({
    persist: file,
    onNotice: (text) => notices.push(text.replace(`${folder}/`, '')),
    ...options,
  })
}
const restart = async ({ close }: StartedPlantMock, options?: StartOptions): Promise<StartedPlantMock> => {
  await close()
  return start(options)
}
const create = async ({ mock }: { mock: PlantMock }, plant: object, caller = 'alice') =>
  mock.fetch('/plants', post(plant, { authorization: `Bearer ${caller}` }))
const problemOf = async (response: Response) => (await response.json()) as { type: string; detail: string }
const list = async ({ mock }: { mock: PlantMock }, caller = 'alice') =>
  ((await (await mock.fetch('/plants', as(caller))).json()) as { name: string }[]).map(({ name }) => name)
const lines = async (path = file) => (await readFile(path, 'utf8')).split('\n')
const write = (...plants: readonly (object | string)[]) =>
  writeFile(file, plants.map((plant) => (typeof plant === 'string' ? plant : `${JSON.stringify(plant)}\n`)).join(''))

describe('plants kept in a file', () => {
  it('are served after a restart, to the same callers; a reset restores the fixtures', async () => {
    const first = await start({ fixtures: [fern] })
    await create(first, mint)
    await create(first, mint, 'bob')
    const second = await restart(first, { fixtures: [aloe] })
    expect([await list(second), await list(second, 'carol')]).toEqual([[fern.name, 'Mint'], [fern.name]])
    expect((await create(second, mint)).status).toBe(409)
    await second.mock.reset()
    expect(await second.mock.plants.all()).toEqual([aloe])
    expect(await loadFixtures(file)).toEqual([aloe])
  })

  it('keep ids of 64 bits and missing tags after a restart', async () => {
    const assume = { 'create.idRange': 'int64', 'create.required': 'name' } as const
    const plants = [
      { id: 9007199254740993n, name: 'n' },
      { id: -(2n ** 63n), name: 'm', tag: 't' },
    ]
    const first = await start({ fixtures: plants, assume })
    expect(await lines()).toContain('{"id":9007199254740993,"name":"n"}')
    expect(await loadFixtures(file)).toEqual(plants)
    const second = await restart(first, { assume })
    expect(await second.mock.plants.all()).toEqual(plants)
    const body = '{"id":9007199254740993,"name":"n"}'
    expect((await second.mock.fetch('/plants', post(body))).status).toBe(409)
    expect((await second.mock.fetch('/plants', post(body.replace('993', '992')))).status).toBe(201)
  })

  it('begin with the fixtures when only a temporary file of a killed server exists', async () => {
    await writeFile(`${file}.tmp`, 'half of a li')
    await start({ fixtures: [fern] })
    expect(await loadFixtures(file)).toEqual([fern])
    await expect(stat(`${file}.tmp`)).rejects.toThrow('ENOENT')
  })

  it('are those outside of sessions: a session starts with the fixtures and stays in memory', async () => {
    const started = await start({ fixtures: [fern] })
    await create(started, mint)
    const session = { mock: started.mock.session('a') }
    expect(await list(session)).toEqual([fern.name])
    await create(session, aloe)
    expect(await loadFixtures(file)).toHaveLength(2)
  })

  it('are written to the target of a symbolic link, with the permissions of the target', async () => {
    const real = join(folder, 'real.ndjson')
    await writeFile(real, '')
    await chmod(real, 0o600)
    await symlink(real, file)
    const started = await start({ fixtures: [fern] })
    await create(started, mint)
    expect(await loadFixtures(real)).toHaveLength(2)
    expect((await stat(real)).mode & 0o777).toBe(0o600)
    await started.close()
    expect(await loadFixtures(file)).toHaveLength(2)
  })

  it('are written to the target of a symbolic link that does not exist yet', async () => {
    await symlink('real.ndjson', join(folder, 'next.ndjson'))
    await symlink('next.ndjson', file)
    const started = await start({ fixtures: [fern] })
    await create(started, mint)
    expect(await loadFixtures(join(folder, 'real.ndjson'))).toHaveLength(2)
    expect((await lstat(file)).isSymbolicLink()).toBe(true)
  })

  it('may be many and long', async () => {
    const plants = Array.from({ length: 3_000 }, (_, id) => ({
      id,
      name: `植物 ${id}`.repeat(id % 50),
      tag: '🌱',
    }))
    const huge = { name: 'x'.repeat(600_000), tag: '' }
    await write('\uFEFF', ...plants, huge, fern)
    expect(await (await start()).mock.plants.all()).toEqual([...plants, huge, fern])
  })

  it('may have any text, and line ends of Windows', async () => {
    const odd = { id: 0, name: '\u2028 \ud800 "\n', tag: '植物 🌱' }
    await write(`${JSON.stringify(fern)}\r\n`, '\n', aloe)
    const first = await start()
    await create(first, odd)
    const second = await restart(first)
    expect(await second.mock.plants.all()).toEqual([fern, aloe, { ...odd, access: ['alice'] }])
  })
})

describe('a long token', () => {
  it('is not written to the file, and its caller sees its plants after a restart', async () => {
    const first = await start({ fixtures: [{ ...fern, access: [secret, secret] }] })
    await create(first, mint, secret)
    expect(await readFile(file, 'utf8')).not.toContain(secret)
    expect(await lines()).toEqual([
      expect.stringMatching(/"access":\["sha256\.[\w-]{43}"\]\}$/),
      expect.stringMatching(/^\{"id":9,.*"access":\["sha256\.[\w-]{43}"\]\}$/),
      '',
    ])
    const second = await restart(first)
    expect(await list(second, secret)).toEqual([fern.name, 'Mint'])
    expect(await list(second, `${secret}2`)).toEqual([])
    expect((await create(second, mint, secret)).status).toBe(409)
    await second.mock.replaceFixtures(await second.mock.plants.all())
    expect(await list(second, secret)).toEqual([fern.name, 'Mint'])
  })

  it('selects its plants in process and over HTTP, and has one pseudonym everywhere', async () => {
    const started = await start()
    await create(started, mint, secret)
    const remote = connectPlantMock(started.url)
    for (const mock of [started.mock, remote]) {
      expect(await mock.plants.visibleTo(secret)).toMatchObject([mint])
      expect(await mock.plants.visibleTo('alice')).toEqual([])
    }
    const shown = await fetch(`${started.url}/__plant-mock/plants?callers=pseudonyms`)
    expect(await shown.json()).toEqual({ plants: [{ ...mint, access: ['caller-1'] }] })
    expect(await remote.requests.find({ caller: secret })).toMatchObject({ caller: 'caller-1' })
  })

  it('is accepted because of the file where only listed tokens are callers', async () => {
    const first = await start({ fixtures: [fern], tokens: [secret] })
    await create(first, mint, secret)
    const second = await restart(first, { assume: { 'auth.tokens': 'listed' } })
    expect(await list(second, secret)).toEqual([fern.name, 'Mint'])
    expect((await second.mock.fetch('/plants', as('stranger'))).status).toBe(401)
  })

  it('is redacted in the journal as soon as a plant names it', async () => {
    const started = await start({ fixtures: [fern] })
    await started.mock.replaceFixtures([{ ...aloe, access: [secret] }])
    await create(started, { ...mint, note: secret })
    expect(JSON.stringify(await started.mock.requests.all())).not.toContain(secret)
  })

  it('is written as the name that the option callers gives it', async () => {
    const started = await start({ callers: { frontend: secret } })
    await create(started, mint, secret)
    expect(await loadFixtures(file)).toEqual([{ ...mint, access: ['frontend'] }])
  })
})

describe('a file with an incomplete or invalid line', () => {
  it('keeps every complete plant when it is truncated at any byte, and reports the dropped line', async () => {
    const plants = [fern, { ...aloe, name: 'Ä 植 🌱' }, { name: 'no id', tag: '' }, { ...mint, access: ['bob'] }]
    await write(...plants)
    const whole = await readFile(file)
    const ends = [...whole.keys()].filter((at) => whole[at] === 10)
    for (let length = 0; length <= whole.length; length++) {
      await writeFile(file, whole.subarray(0, length))
      const { mock, close } = await start()
      const complete = ends.filter((end) => end <= length).length
      expect(await mock.plants.all()).toEqual(plants.slice(0, complete))
      expect(await loadFixtures(file)).toEqual(plants.slice(0, complete))
      const dropped = length - ((ends[complete - 1] ?? -1) + 1)
      const isIncomplete = dropped > 0 && !ends.includes(length)
      expect(notices).toEqual(
        isIncomplete
          ? [
              `plants.ndjson: dropped an incomplete last line (${dropped} ${dropped === 1 ? 'byte' : 'bytes'}); its create got no response`,
            ]
          : [],
      )
      await mock.seed([fern])
      expect(await loadFixtures(file)).toEqual([...plants.slice(0, complete), fern])
      await close()
    }
  })

  it.each([
    ['a bad line before', 'nonsense\n{"id":1,"na', /plants\.ndjson, line 1, is not JSON/],
    ['a line of another program', `${JSON.stringify(fern)}\n{"plants":[`, /plants\.ndjson, line 2, is not JSON/],
    ['a complete line that is not a plant', '{"id":1,"tag":"x"}', /plants\.ndjson, line 1 at #\/name is required/],
    ['text that is not UTF-8', Buffer.from([0x22, 0xff, 0x22, 10]), /plants\.ndjson is not UTF-8/],
    ['a line that ends within a character', Buffer.from([0x20, 0xc3, 10]), /plants\.ndjson is not UTF-8/],
    ['an end within a character', Buffer.from([0x20, 0xc3]), /plants\.ndjson is not UTF-8/],
    ['an end that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /plants\.ndjson is not UTF-8/],
  ])('is rejected with %s, and stays unchanged', async (_, text, message) => {
    await writeFile(file, text)
    await expect(start()).rejects.toThrow(message)
    expect(await readFile(file)).toEqual(Buffer.from(text))
    await write(fern)
    expect(await (await start()).mock.plants.all()).toEqual([fern])
  })
})

describe('a file that another program changes', () => {
  const changes = [
    ['was changed', () => write(fern, aloe)],
    [
      'was replaced',
      async () => {
        await rename(file, `${file}.old`)
        await write(mint)
      },
    ],
    ['was deleted', () => rm(file)],
  ] as const

  it.each(changes)('%s: rejects changes, and does not overwrite the file', async (name, change) => {
    const started = await start({ fixtures: [fern] })
    await change()
    const before = await readFile(file, 'utf8').catch(() => undefined)
    const response = await create(started, mint)
    expect(response.status).toBe(500)
    expect((await problemOf(response)).detail).toMatch(
      new RegExp(
        `plants\\.ndjson was ${name === 'was deleted' ? 'moved or deleted' : 'changed by another program'}\\. Nothing was added or changed\\. .*[Rr]estart to`,
      ),
    )
    await expect(started.mock.reset()).rejects.toThrow('Nothing was added or changed')
    expect(await list(started)).toEqual([fern.name])
    expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(before)
  })

  it('is served after a reload; when it is invalid, the plants stay and changes fail', async () => {
    const started = await start({ fixtures: [fern] })
    const { persisted } = started
    expect(persisted?.reload()).toBeUndefined()
    await create(started, mint)
    expect(persisted?.reload()).toBeUndefined()
    await write(aloe, JSON.stringify(mint))
    expect(persisted?.reload()).toBe(2)
    expect(await list(started)).toEqual(['Aloe vera', 'Mint'])
    expect((await create(started, fern)).status).toBe(201)
    expect(await loadFixtures(file)).toHaveLength(3)

    const good = await readFile(file, 'utf8')
    // The change keeps the file's size: without `utimes`, both writes might have the same modification time.
    await writeFile(file, good.replace('succulent', 'succulen\n'))
    await utimes(file, new Date(), new Date(Date.now() + 1_000))
    expect(() => persisted?.reload()).toThrow(/plants\.ndjson, line 1, is not JSON/)
    expect((await create(started, { ...fern, id: 70 })).status).toBe(500)
    await writeFile(file, good)
    persisted?.reload()
    expect((await create(started, { ...fern, id: 70 })).status).toBe(201)
    expect(await list(started)).toHaveLength(4)
  })

  it('notifies the listeners of the mock after a reload', async () => {
    const { mock, persisted } = await start({ fixtures: [fern] })
    const events: unknown[] = []
    mock.instances.root.events.listen((event) => events.push(event))
    await write(aloe)
    persisted?.reload()
    expect(events).toEqual([{ type: 'change', subject: 'plants' }])
  })
})

describe('an edit of the same size', () => {
  it('that sets only the time of the file is none', async () => {
    const started = await start({ fixtures: [fern] })
    const future = new Date(Date.now() + 60_000)
    await utimes(file, future, future)
    expect(started.persisted?.reload()).toBeUndefined()
    expect((await create(started, mint)).status).toBe(201)
  })

  it('by an editor that replaces the file leaves the next create in the new file', async () => {
    const started = await start({ fixtures: [fern] })
    await writeFile(`${file}.new`, `${JSON.stringify({ ...fern, tag: 'reed' })}\n`)
    await rename(`${file}.new`, file)
    expect((await create(started, mint)).status).toBe(201)
    expect(await loadFixtures(file)).toMatchObject([{ tag: 'reed' }, mint])
  })
})

describe('a file that another server has locked', () => {
  const pidOfEnded = () => spawnSync(process.execPath, ['--version']).pid
  const lock = () => `${file}.lock`

  it('is rejected with the process id while that server runs', async () => {
    await writeFile(lock(), `${process.ppid}\n`)
    await expect(start()).rejects.toThrow(
      `plants.ndjson is in use by another server, process ${process.ppid}. Stop that server, or choose another file. If no server uses this file, delete ${lock()}.`,
    )
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    expect(await readFile(lock(), 'utf8')).toBe(`${process.ppid}\n`)
  })

  it.each(['', `${process.ppid}\n`])('under another name is rejected with the name of its lock', async (content) => {
    const link = join(dirname(file), 'link.ndjson')
    await symlink(file, link)
    await writeFile(lock(), content)
    const realLock = await realpath(lock())
    await expect(startPlantMock({ persist: link })).rejects.toThrow(`delete ${realLock}.`)
  })

  it.each([
    ['was killed', () => `${pidOfEnded()}\n`],
    ['had the same process id, in a container that was restarted', () => `${process.pid}\n`],
    ['was killed while it created its lock', () => ''],
  ])('is taken over when that server %s', async (_, content) => {
    await writeFile(lock(), content())
    const past = new Date(Date.now() - 11_000)
    await utimes(lock(), past, past)
    const { close } = await start({ fixtures: [fern] })
    expect((await readFile(lock(), 'utf8')).split('\n')[0]).toBe(`${process.pid}`)
    await close()
    await expect(stat(lock())).rejects.toThrow('ENOENT')
  })

  it('is rejected in the same process too, until the first server has closed', async () => {
    const one = await start({ fixtures: [fern] })
    await expect(start()).rejects.toThrow(
      'plants.ndjson is in use by another server of this process. Close it first, or choose another file.',
    )
    expect((await create(one, mint)).status).toBe(201)
    expect(await list(await restart(one))).toEqual([fern.name, mint.name])
  })
})

describe('a change of plants', () => {
  it('writes nothing when no plant matches, even where the file is gone', async () => {
    const { mock } = await start({ fixtures: [fern] })
    const { ino, ctimeMs } = await stat(file)
    expect(await mock.plants.update({ id: mint.id }, { tag: 'x' })).toBe(0)
    expect(await mock.plants.remove({ tag: 'none' })).toBe(0)
    expect(await stat(file)).toMatchObject({ ino, ctimeMs })
    await rm(file)
    expect(await mock.plants.remove({ tag: 'none' })).toBe(0)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  it('that seeds one plant appends it', async () => {
    const { mock } = await start({ fixtures: [fern] })
    const { ino } = await stat(file)
    await mock.seed([mint])
    expect((await stat(file)).ino).toBe(ino)
    expect(await loadFixtures(file)).toHaveLength(2)
  })
})

describe('a write that fails', () => {
  it('is reported when the server has stopped', async () => {
    const started = await start({ fixtures: [fern] })
    await started.close()
    await expect(started.mock.seed([aloe])).rejects.toThrow('cannot be written: the server has stopped.')
    expect(await list(started)).toEqual([fern.name])
  })
})

describe('a server that does not start', () => {
  it('leaves no new file', async () => {
    const { url } = await start({ persist: join(folder, 'others.ndjson') })
    const port = Number(new URL(url).port)
    await expect(start({ port, fixtures: [fern] })).rejects.toThrow('is taken')
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})

describe('an unusable file is rejected without leaving a lock:', () => {
  it.each([
    ['another extension', () => ({ persist: join(folder, 'plants.json') }), /unlike \S+plants\.json\.$/],
    ['an empty name', () => ({ persist: '' }), /unlike an empty name\.$/],
    ['a missing folder', () => ({ persist: join(folder, 'no/plants.ndjson') }), /ENOENT: no such file or directory/],
    ['a folder', () => mkdir(file), /plants\.ndjson cannot store plants: it is not a regular file/],
    ['in addition to a mock', () => ({ mock: createPlantMock() }), 'The option persist excludes mock and store'],
    [
      'in addition to an upstream for all requests',
      () => ({ upstream: { url: 'http://127.0.0.1:1', for: 'all' as const } }),
      'The option persist excludes upstream.for "all"',
    ],
  ])('%s', async (_, options, message) => {
    await expect(start((await options()) ?? {})).rejects.toThrow(message)
    await expect(stat(`${file}.lock`)).rejects.toThrow('ENOENT')
  })
})
