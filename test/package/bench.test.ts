import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseXml } from './support/xml.ts'

const program = fileURLToPath(new URL('../bench/write.js', import.meta.url))

type Share = readonly [server: string, value: number, ratio?: number]

const requests = (method: 'GET' | 'POST', plants: number, shares: readonly Share[]) =>
  shares.map(([server, value, ratio]) => ({
    group: 'Requests',
    what: `${method} /plants, ${plants.toLocaleString('en')} plants`,
    load: { method, plants },
    server,
    unit: '/s',
    value,
    ...(ratio !== undefined && {
      ratio,
      range: [ratio, ratio],
      coreRatio: ratio,
      coreRange: [ratio, ratio],
      against: 'bare node:http',
    }),
    ...(server === 'plant-mock' && { aim: { of: 'ratio', atLeast: 0.8 } }),
  }))

/** The groups of a complete run. */
const groupNames = [
  'requests',
  'log',
  'peers',
  'memory',
  'start',
  'large',
  'sessions',
  'install',
  'inprocess',
  'evidence',
  'store',
  'calls',
  'import',
]
const quiet = { rounds: 5, repeated: 1, noisy: 0, slowdown: 0.01, difference: 0.02 }
const peer = { name: 'a peer', packages: ['a-peer@1.0.0'], command: 'a-peer serve', differs: 'asks for no token' }

const rowsOfGroup: Readonly<Record<string, readonly object[]>> = {
  requests: [
    ...requests('GET', 1_000, [
      ['bare node:http', 88_000],
      ['plant-mock', 72_000, 0.82],
    ]),
    ...requests('POST', 1_000, [
      ['bare node:http', 75_000],
      ['plant-mock', 58_500, 0.78],
    ]),
  ],
  peers: [...requests('GET', 1_000, [['a peer', 1_100, 0.0125]]), ...requests('POST', 1_000, [['a peer', 0, 0]])],
  start: [
    { group: 'Start', what: 'Cold start', server: 'plant-mock', unit: 'ms', value: 61.5 },
    { group: 'Start', what: 'Cold start', server: 'a peer', skipped: 'not installed: a|b\nand more' },
  ],
}

const results = {
  date: '2026-11-21',
  environment: {
    version: '0.1.0',
    node: 'v20.20.2',
    msw: '2.15.0',
    platform: 'linux x64',
    processor: 'A <processor> & more',
    cores: 2,
    memory: 8,
    tool: 'wrk',
    pinned: true,
  },
  settings: { rounds: 5, seconds: 5, fetches: 4000, fetchWarmUp: 8000 },
  groups: groupNames.map((name) => ({
    name,
    noise: quiet,
    rows: rowsOfGroup[name] ?? [],
    peers: name === 'peers' ? [peer] : [],
  })),
}

/** Writes the page and the picture into the folder. */
const write = async (folder: string, run: object) => {
  await writeFile(join(folder, 'run.json'), JSON.stringify(run))
  await promisify(execFile)(process.execPath, [program, join(folder, 'run.json'), folder])
}

describe('the page of benchmark results', () => {
  let folder = ''
  let page = ''
  let picture = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plant-mock-test-'))
    await write(folder, results)
    page = await readFile(join(folder, 'RESULTS.md'), 'utf8')
    picture = await readFile(join(folder, 'results.svg'), 'utf8')
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Rows of tables without column padding. */
  const linesOf = (start: string) =>
    page
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '))
      .filter((line) => line.startsWith(start))

  it('stands beside the whole run as JSON, with the method', async () => {
    const written: unknown = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8'))
    expect(written).toMatchObject({ ...results, method: { requests: expect.stringContaining('In each of 5 rounds') } })
  })

  it('shows for each goal whether it is reached', () => {
    expect(linesOf('| GET')).toEqual(['| GET, 1,000 plants | 0.82 | ≥0.8 |'])
    expect(linesOf('| POST')).toEqual(['| POST, 1,000 plants | **0.78** | ≥0.8 |'])
  })

  it('compares plant-mock with the fastest peer', () => {
    expect(linesOf('| Lead')[0]).toBe('| Lead over a peer: GET, 1,000 plants | 65.6 | ≥5 |')
  })

  it('has tables whose rows have as many cells as their header', () => {
    for (const table of page.split('\n\n').filter((block) => block.startsWith('|'))) {
      const counts = table.split('\n').map((line) => line.split(/(?<!\\)\|/).length)
      expect(new Set(counts)).toHaveLength(1)
    }
  })

  it('has a well-formed picture with a bar for each figure and an alternative text', () => {
    const classes = parseXml(picture).map(({ attributes }) => attributes.class)
    expect(classes.filter((name) => name === 'ours')).toHaveLength(2)
    expect(classes.filter((name) => name === 'peer')).toHaveLength(2)
    expect(picture).toContain('plant-mock: GET 82 %, POST 78 %. a peer: GET 1 %, POST 0 %.')
    expect(picture).toContain('A &lt;processor&gt; &amp; more')
  })
})

describe('results that cannot be trusted', () => {
  const refusal = async (run: object) => {
    const folder = await mkdtemp(join(tmpdir(), 'plant-mock-test-'))
    try {
      const error: unknown = await write(folder, run).catch((error: unknown) => error)
      expect(existsSync(join(folder, 'RESULTS.md'))).toBe(false)
      return error instanceof Error && 'stderr' in error ? error.stderr : 'none'
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  it('are not written when a group stayed noisy', async () => {
    const groups = results.groups.map((group) =>
      group.name === 'start' ? { ...group, noise: { ...quiet, noisy: 1 } } : group,
    )
    expect(await refusal({ ...results, groups })).toBe(
      'write: The results are not written: the machine was too busy during start.\n',
    )
  })

  it('are not written when a group is missing', async () => {
    const groups = results.groups.filter(({ name }) => name !== 'log' && name !== 'peers')
    expect(await refusal({ ...results, groups })).toBe(
      'write: The results are not written: they lack the groups log, peers.\n',
    )
  })
})
