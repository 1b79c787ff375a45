import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from 'plant-mock/conformance'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Finished, finish } from '../support/command-line.ts'
import { type Behaviour, serveWrong, wrongService } from '../support/wrong-service.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
const serveService = async (...behaviours: Behaviour[]) => {
  const service = await serveWrong(wrongService(behaviours))
  closers.push(service.close)
  return service
}

const tokens = ['--token', 'secret-of-alice', '--other-token', 'secret-of-bob']
const run = (command: 'verify' | 'alike', ...args: string[]): Promise<Finished> => finish([command, ...args, ...tokens])

/** A service, with the file that a check of it learned. */
const learnedFrom = async (...behaviours: Behaviour[]) => {
  const { url } = await serveService(...behaviours)
  const file = join(folder, `${closers.length}-${behaviours.length}.json`)
  return { url, file, verified: await run('verify', url, '--learn', file) }
}

describe('verify --learn', () => {
  it('prints how alike a mock is, and writes it with the date', async () => {
    const { file, verified } = await learnedFrom()
    expect(verified.out).toMatch(
      /\nAlike: \d+ % of \d+ exchanges \(status \d+ %, media type \d+ %, body \d+ %\); of the 40 unseen ones \d+ %\.\n/,
    )
    const text = await readFile(file, 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      alike: { date: new Date().toISOString().slice(0, 10), unseen: { exchanges: 40 } },
    })
    expect(text + verified.out + verified.error).not.toContain('secret-of-')
  })
})

describe('--alike', () => {
  it.each(['101', '-1', 'many', '', '95%'])('refuses %o, before any request', async (value) => {
    const service = await serveService()
    const { code, out, error } = await run('verify', service.url, `--alike=${value}`)
    expect([code, out, service.requests]).toEqual([2, '', 0])
    expect(error).toMatch(/^plant-mock: [^\n]*--alike[^\n]+\n$/)
  })

  it('fails where an exchange differs, and every report has the reason', async () => {
    const { url, file } = await learnedFrom('wrong types are accepted')
    const text = await run('verify', url, '--alike', '100')
    expect([text.code, text.out]).toEqual([
      4,
      expect.stringMatching(/\nAlike: .* At least 100 % are required\.\n {2}\d/),
    ])
    const json = await run('alike', url, file, '--alike', '100', '--reporter', 'json')
    const { required, exchanges, alike } = JSON.parse(json.out) as NonNullable<ConformanceReport['alike']>
    expect([json.code, required, Number(alike) < Number(exchanges)]).toEqual([4, 100, true])
    const junit = await run('alike', url, file, '--alike', '100', '--reporter', 'junit')
    expect([junit.code, junit.out]).toEqual([4, expect.stringMatching(/<failure message="Alike: .* are required\."/)])
    expect(text.out + json.out + junit.out).not.toContain('secret-of-')
  })
})

describe('plant-mock alike', () => {
  it('repeats the comparison', async () => {
    const { url, file } = await learnedFrom()
    const { code, out, error } = await run('alike', url, file, '--alike', '50')
    expect([code, out]).toEqual([0, expect.stringMatching(/^Alike: \d+ % of \d+ exchanges /)])
    expect(error).toMatch(/\nCreated \d+ plants, each with "plant-mock check \w+" in its name or tag/)
  })

  it.each([
    ['without FILE', [], /FILE is missing/],
    ['with a FILE that does not exist', ['none.json'], /none\.json does not exist/],
    ['with a malformed FILE', ['malformed.json'], /malformed\.json/],
  ] as const)('is refused %s, before any request', async (_, names, reason) => {
    await writeFile(join(folder, 'malformed.json'), '{"assumptions":')
    const service = await serveService()
    const { code, out, error } = await run('alike', service.url, ...names.map((name) => join(folder, name)))
    expect([code, out, service.requests]).toEqual([2, '', 0])
    expect(error).toMatch(/^plant-mock: [^\n]+\n$/)
    expect(error).toMatch(reason)
  })

  it('exits with 3 where the service cannot be reached', async () => {
    const file = join(folder, 'little.json')
    await writeFile(file, '{"assumptions":{"create.status":200}}')
    const { url, close } = await serveWrong(wrongService())
    await close()
    const { code, out, error } = await run('alike', url, file)
    expect([code, out, error]).toEqual([3, '', expect.stringContaining(`${url} cannot be reached: `)])
  })
})
