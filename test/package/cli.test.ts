import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openFolder } from '../support/folder.ts'
import { as, post } from '../support/targets.ts'
import { finish, preloaded, run, serve, stopAll } from './support/cli.ts'

const folder = await openFolder()
afterEach(stopAll)

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const fixtureFile = async (name: string, plants: readonly object[]): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify({ plants }))
  return path
}
const list = async (url: string, caller = 'alice', query = '') =>
  (await (await fetch(`${url}/plants${query}`, as(caller))).json()) as { name: string; tag: string }[]

describe('plant-mock', () => {
  it('prints its version, address, plants, an example request, the dashboard and how to stop it', async () => {
    const { url, printed, child, finished } = await serve()
    await printed(/Stop/)
    child.kill('SIGTERM')
    expect((await finished).out).toBe(
      [
        `plant-mock ${packageJson.version} on ${url}`,
        '',
        '  Plants     24 plants from garden; any bearer token is accepted',
        `  Try        curl -H 'Authorization: Bearer alice' '${url}/plants?limit=3'`,
        `  Dashboard  ${url}/__plant-mock/`,
        '  Stop       Ctrl-C',
        '',
        'Stopped.',
        '',
      ].join('\n'),
    )
  })

  it('logs each request with method, URL, status, caller, problem type and duration, and no token', async () => {
    const { url, printed } = await serve()
    await fetch(`${url}/plants?limit=1`, as('token-of-a-caller'))
    await fetch(`${url}/plants`, post({}, { authorization: 'Bearer token-of-a-caller' }))
    await fetch(`${url}/plants?access_token=token-of-a-caller&limit=1`)
    const [text] = await printed(/GET {5}[\s\S]*missing-token.*\n/)
    expect(text.replaceAll(/ +\d+\.\d ms/g, '  # ms')).toBe(
      [
        'GET     /plants?limit=1     200  caller-1  # ms',
        'POST    /plants             400  caller-1  # ms  invalid-plant',
        'GET     /plants?access_token=caller-1&limit=1  401  -  # ms  missing-token',
        '',
      ].join('\n'),
    )
  })

  it('logs the session and the fault of a request', async () => {
    const { url, printed } = await serve(['--fail-rate', '1', '--latency', '1-2'])
    await printed(/Faults {5}responses delayed by 1 to 2 ms, 100% of requests get 503\n/)
    await fetch(`${url}/plants`, { headers: { authorization: 'Bearer x', 'plant-mock-session': 'test 7' } })
    await printed(/GET {5}\/plants +503 {2}caller-1 +[\d.]+ ms {2}\[test 7\] {2}simulated-failure {2}fault: status\n/)
  })

  it('opens its control interface to other machines only with a key, and never prints the key', async () => {
    const key = 'key-that-stays-secret'
    const off = await serve(['--host', '0.0.0.0'])
    await off.printed(/Dashboard {2}off, because other machines can reach this address; enable it with --control-key\n/)
    const on = await serve(['--host', '0.0.0.0'], { env: { PLANT_MOCK_CONTROL_KEY: key } })
    const url = on.url.replace('0.0.0.0', '127.0.0.1')
    const headers = { 'plant-mock-control-key': key }
    expect((await fetch(`${url}/__plant-mock/state`, { headers })).status).toBe(200)
    on.child.kill('SIGTERM')
    const { out, error } = await on.finished
    expect(out + error).not.toContain(key)
  })

  it('prints one JSON object per line with --json', async () => {
    const { url, child, finished, printed } = await serve(['--json'])
    await list(url)
    await printed(/"event":"request"/)
    child.kill('SIGINT')
    const events = (await finished).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(events).toEqual([
      {
        event: 'listening',
        name: 'plant-mock',
        version: packageJson.version,
        url,
        control: `${url}/__plant-mock/`,
        plants: 24,
        from: 'garden',
        assumed: {},
      },
      {
        event: 'request',
        method: 'GET',
        url: '/plants',
        status: 200,
        caller: 'caller-1',
        milliseconds: expect.any(Number),
      },
      { event: 'stopped' },
    ])
  })

  it('ends at once at SIGTERM while it generates millions of plants', async () => {
    const env = preloaded("setTimeout(() => console.error('at work'), 100)")
    const { child, finished, printed } = run(['--port', '0', '--plants', '10000000'], { env })
    await printed(/at work/)
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: null, out: '' })
  })

  it('reads options from the environment; flags take precedence', async () => {
    const env = {
      PLANT_MOCK_FIXTURES: 'empty,crowded',
      PLANT_MOCK_ASSUME: 'list.defaultLimit=20,list.order=newest',
    }
    const first = await serve([], { env })
    expect(await list(first.url)).toHaveLength(20)
    const second = await serve(['--fixtures', 'empty', '--assume', 'create.status=200'], { env })
    expect(await list(second.url)).toHaveLength(0)
    expect((await fetch(`${second.url}/plants`, post(fern))).status).toBe(200)
  })

  it('prints the assumptions that differ from the defaults', async () => {
    const { printed } = await serve(['--assume', 'list.order=newest', '--assume=create.status=200'])
    await printed(/Assumed {4}create\.status=200, list\.order=newest\n/)
  })
})

describe('plants', () => {
  it('are generated in addition to the given fixtures, with ids above theirs', async () => {
    const { url } = await serve(['--plants', '5', '--fixtures', 'garden'])
    expect(await list(url, 'carol')).toHaveLength(18 + 5)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 25 }))).status).toBe(409)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 30 }))).status).toBe(201)
  })

  it('belong only to the given tokens with --token, which the banner does not print', async () => {
    const { url, printed } = await serve(['--token', 'secret-1', '--token', 'secret-2', '--plants', '20'])
    const [first, second] = [await list(url, 'secret-1'), await list(url, 'secret-2')]
    expect(first.length + second.length).toBe(20)
    expect((await fetch(`${url}/plants`, as('stranger'))).status).toBe(401)
    const [text] = await printed(/[\s\S]*Stop/)
    expect(text).toContain('"Authorization: Bearer $TOKEN"')
    expect(text).not.toContain('secret')
  })
})

describe('--watch', () => {
  it('reloads an edited file, and reports an invalid one and keeps the previous plants', async () => {
    const file = await fixtureFile('watched.json', [fern])
    const { url, printed } = await serve(['--fixtures', file, '--watch'])
    await writeFile(file, '{"plants":[{"tag":"no name"}]}')
    await printed(/Reload failed; keeping the previous plants\. .*watched\.json at #\/plants\/0\/name is required/)
    expect(await list(url)).toHaveLength(1)
    await fixtureFile('watched.json', [fern, fern, fern])
    await printed(/Reloaded 3 plants from .*watched\.json\./)
    expect(await list(url)).toHaveLength(3)
  })

  it.each([
    ['db.json', '{"plants":[{"id":"7","name":"x","tag":"y","height":3}]}', 'dropped: height (1 plant).'],
    [
      'plants.yaml',
      'plants:\n  - {name: x, tag: y}\nothers: []\n',
      'ignored the other collections: others (serve them by --handlers).',
    ],
  ])('reloads %s, whose notice is printed once, at the start', async (name, content, notice) => {
    const file = join(folder, name)
    await writeFile(file, content)
    const { url, printed, child, finished } = await serve(['--fixtures', file, '--watch'])
    expect(await list(url)).toEqual([{ name: 'x', tag: 'y' }])
    await writeFile(file, content.replace('x', 'another'))
    await printed(/Reloaded 1 plant from /)
    child.kill('SIGTERM')
    expect((await finished).out.split(`${name}: ${notice}\n`)).toHaveLength(2)
  })
})

describe('plant-mock generate', () => {
  it('prints a fixture file for serve, the same for the same seed', async () => {
    const args = ['generate', '--plants', '7', '--seed', '3', '--token', 'alice', '--token', 'bob']
    const { code, out } = await finish(args)
    expect([code, (await finish(args)).out]).toEqual([0, out])
    const path = join(folder, 'generated.json')
    await writeFile(path, out)
    const { url } = await serve(['--fixtures', path])
    expect((await list(url, 'alice')).length + (await list(url, 'bob')).length).toBe(7)
  })

  it('exits with 0 when the reader of its output ends', async () => {
    const { child, finished } = run(['generate', '--plants', '200000'])
    await once(child.stdout ?? child, 'data')
    child.stdout?.destroy()
    expect(await finished).toMatchObject({ code: 0, error: '' })
  })
})
