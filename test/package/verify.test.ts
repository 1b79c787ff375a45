import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestFolder } from '../support/folder.ts'
import { serveWrong, wrongService } from '../support/wrong-service.ts'
import { finish, stopAll } from './support/cli.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  stopAll()
  for (const close of closers.splice(0)) await close()
})

const serve = async () => {
  const { url, close } = await serveWrong(wrongService())
  closers.push(close)
  return url
}

const env = { PLANT_MOCK_TOKEN: 'secret-of-alice', PLANT_MOCK_OTHER_TOKEN: 'secret-of-bob' }

describe('the program plant-mock verify', () => {
  it('checks a service with tokens from the environment, writes what it learned, and exits with 0', async () => {
    const folder = await openTestFolder()
    const url = await serve()
    const { code, out, error } = await finish(['verify', url, '--learn', join(folder, 'learned.json')], { env })
    expect([code, await readdir(folder)]).toEqual([0, ['learned.json']])
    expect(out).toMatch(/^http\S+ keeps the contract, as far as it was checked\.\n/)
    expect(error).toMatch(
      /^Creates up to 125 plants at [^\n]*\n(?:\d+ of \d+ [^\n]*\n)*Wrote \d+ observed values to [^\n]*\n$/,
    )
    for (const text of [out, error, await readFile(join(folder, 'learned.json'), 'utf8')])
      expect(text).not.toContain('secret-of')
  })

  it.each<[string, readonly string[]]>([
    ['that it knows', []],
    ['by its JUnit report', ['--results', 'report.xml']],
  ])('names the test that a change breaks, in a runner %s', async (_name, results) => {
    const folder = await openTestFolder()
    const assumptions = (status: number) => JSON.stringify({ assumptions: { 'create.status': status } })
    await writeFile(join(folder, 'old.json'), assumptions(201))
    await writeFile(join(folder, 'new.json'), assumptions(200))
    await writeFile(
      join(folder, 'client.test.mjs'),
      `import { test } from 'node:test'
import assert from 'node:assert'
test('creates a plant', async () => {
  const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' }
  const body = JSON.stringify({ id: 900, name: 'Hoya', tag: 'climber' })
  const { status } = await fetch(process.env.PLANT_MOCK_URL + '/plants', { method: 'POST', headers, body })
  assert.equal(status, 201)
})
`,
    )
    const reporter =
      results.length === 0 ? [] : ['--test-reporter', 'junit', '--test-reporter-destination', 'report.xml']
    const command = [process.execPath, '--test', ...reporter, 'client.test.mjs']
    const args = ['diff', 'old.json', 'new.json', ...results, '--', ...command]
    const { code, out } = await finish(args, { cwd: folder })
    expect(code).toBe(4)
    expect(out).toMatch(
      /\n\nChanged\n {2}create\.status: was 201, is 200 \(contract 4\.1\) — breaks 1 test\n.*creates a plant\n(?:.*\n)*?.*200 .?== 201/,
    )
  })
})
