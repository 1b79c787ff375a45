import { afterEach, describe, expect, it } from 'vitest'
import { finish, serve, stopAll } from './package/support/cli.ts'
import { as, post } from './support/targets.ts'
import { causesIn, parseVaryReport } from './support/vary-report.ts'

afterEach(stopAll)

const client = (body: string): readonly string[] => [
  '--',
  process.execPath,
  '--input-type=module',
  '-e',
  `const { status } = await fetch(process.env.PLANT_MOCK_URL + '/plants', ${JSON.stringify(post({ id: 901, name: 'Hoya', tag: 'climber' }))})
   ${body}`,
]

/** A smoke test for `npm test`; `npm run test:programs` has all other tests of started programs. */
describe('the built program', () => {
  it('serves creates and lists until it is stopped', async () => {
    const { url, child, finished } = await serve(['--fixtures', 'empty', '--quiet'])
    expect((await fetch(`${url}/plants`, post({ id: 1, name: 'Aloe vera', tag: 'succulent' }))).status).toBe(201)
    expect(await (await fetch(`${url}/plants`, as('alice'))).json()).toEqual([{ name: 'Aloe vera', tag: 'succulent' }])
    child.kill('SIGTERM')
    expect((await finished).code).toBe(0)
  })

  it('runs a command with the address of a mock, and exits with its code', async () => {
    const { code, out } = await finish(['run', ...client('console.log(status); process.exitCode = 3')])
    expect([code, out]).toEqual([3, '201\n'])
  })

  it('varies an assumption, and names the alternative that breaks a command', async () => {
    const args = ['vary', '--only', 'create.status', '--reporter', 'json']
    const { code, out, error } = await finish([...args, ...client('process.exitCode = status === 201 ? 0 : 1')])
    expect(code).toBe(1)
    expect(causesIn(parseVaryReport({ out, error }))).toEqual(['create.status=200: '])
  })
})
