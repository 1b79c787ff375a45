import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { root } from './support/cli.ts'
import { runVitest, type VitestReport } from './support/vitest.ts'
import { parseXml } from './support/xml.ts'

const samples = `${root}test/package/vitest-samples`

const folder = await openFolder()
const reports = { default: '', json: '', junit: '', stderr: '' }
let files: VitestReport['testResults']
// One run of all samples, because starting Vitest takes longer than running the samples.
beforeAll(async () => {
  const [json, junit] = [join(folder, 'report.json'), join(folder, 'report.xml')]
  const names = ['passing', 'own', 'concurrent', 'around', 'options', 'failing']
  const { code, out, error } = await runVitest(samples, [
    ...names.map((name) => `${name}.sample.ts`),
    ...['--reporter', 'default', '--reporter', 'json', '--reporter', 'junit'],
    ...['--outputFile.json', json, '--outputFile.junit', junit],
  ])
  expect(code).toBe(1)
  reports.default = out + error
  reports.stderr = error
  reports.json = await readFile(json, 'utf8')
  reports.junit = await readFile(junit, 'utf8')
  files = (JSON.parse(reports.json) as VitestReport).testResults
})

const fileOf = (sample: string) => files.find(({ name }) => name.endsWith(`/${sample}.sample.ts`))
const resultsOf = (sample: string) => fileOf(sample)?.assertionResults ?? []

describe('plant-mock/vitest', () => {
  it.each([
    ['gives each test a mock, which its hooks share', 'passing', 12],
    ['has a mock in retries, fixtures and options of Vitest', 'own', 5],
    ['isolates 50 concurrent tests that use one token', 'concurrent', 110],
    ['works inside of aroundEach hooks of a set-up file', 'around', 4],
  ])('%s', (_, sample, count) => {
    const tests = resultsOf(sample)
    expect(tests.filter(({ status }) => status !== 'passed')).toEqual([])
    expect([fileOf(sample)?.status, tests.length]).toEqual(['passed', count])
  })

  it('refuses an unknown option, and takes names of fixtures', () => {
    expect(resultsOf('options')).toMatchObject([
      {
        status: 'failed',
        failureMessages: [expect.stringContaining('Unknown option "baseURL" of plantMock. Did you mean "baseUrl"?')],
      },
      { status: 'passed' },
    ])
  })
})

describe('the report of a failure', () => {
  const messagesOf = (name: string): readonly string[] => {
    const test = resultsOf('failing').find(({ title }) => title === name)
    return test?.failureMessages.map((message) => message.replaceAll(/\n +at .*/g, '')) ?? []
  }

  const journal = [
    'Requests to the mock in this test: 2',
    '  1  GET /plants?limit=2  200  caller-1  assumed: list.status, auth.tokens, rate.limit, json.contentType',
    '     got   []',
    '  2  POST /plants  503  caller-1  fault: status',
    '     sent  {"id":1,"name":"Aloe\\u001b[31m vera","tag":"succulent"}',
  ].join('\n')

  it('appends the requests of the test to the message of the assertion', () => {
    const [message = '', ...others] = messagesOf('fails by an assertion')
    expect(message).toContain(`AssertionError: expected [ 1 ] to deeply equal [ 2 ]\n\n${journal}`)
    expect(message).toContain(
      'Faults still pending at the end of this test:\n  createPlant: status 503, 2 times (hits: 1)',
    )
    expect(others).toEqual([])
  })

  it('shows them at the terminal and in JUnit XML, too', () => {
    expect(reports.default).toContain(journal)
    const failures = parseXml(reports.junit.replace(/^<\?xml.*\n/, ''))
      .filter(({ name }) => name === 'failure')
      .map(({ attributes }) => attributes.message)
    expect(failures).toContainEqual(expect.stringContaining(journal))
  })

  it('appends nothing when the mock received no request', () => {
    expect(messagesOf('fails without a request')).toEqual(['AssertionError: expected 1 to be 2 // Object.is equality'])
  })

  it('lists the requests that no handler matched, even if the client swallowed the errors', () => {
    const [message = '', ...others] = messagesOf('fails for a request without a handler')
    expect(message).toMatch(/^PlantMockError: No handler matches 3 requests:\n/)
    expect(message).toContain('  GET https://api.example.com/plantz  (2 times)\n')
    expect(message).toContain('  POST https://count.example/?access_token=caller-1\n')
    expect(message).toContain("plantMock: { unhandled: 'bypass' }")
    expect(message).toContain('Requests to the mock in this test: 1\n  1  GET /plants  200  caller-1')
    expect(others).toEqual([])
  })

  it('lists them beside a failed assertion', () => {
    expect(messagesOf('fails for both')).toEqual([
      'AssertionError: expected 1 to be 2 // Object.is equality',
      expect.stringMatching(/^PlantMockError: No handler matches 1 request:\n/),
    ])
  })

  it('names the section that an override violates', () => {
    expect(messagesOf('fails for an override').join()).toContain(
      'GET /plants → 200\n  contract 2.2, 4.2: Element 0: id is not a field of a plant.',
    )
  })

  it('of a strict test names what is left over', () => {
    expect(messagesOf('fails for a pending fault').join().split('any request: status 503 (hits: 0)')).toHaveLength(2)
    expect(messagesOf('fails for a violation').join()).toContain(
      'GET /plants?page=2 violates contract 4.2: A list has no query parameter',
    )
  })

  it('of a method of the mock has a stack that begins in the test', () => {
    const { failureMessages = [] } = resultsOf('failing').find(({ title }) => title === 'fails with a stack') ?? {}
    expect(/^ +at .*$/m.exec(failureMessages.join())?.[0]).toContain('failing.sample.ts')
  })

  it('is absent when a retry succeeds, and when requests may pass through', () => {
    const failed = resultsOf('failing').filter(({ status }) => status === 'failed')
    expect(failed.map(({ title }) => title)).toEqual([
      'fails by an assertion',
      'fails without a request',
      'fails for a request without a handler',
      'fails for both',
      'fails for an override',
      'fails with a stack',
      'fails for a pending fault',
      'fails for a violation',
    ])
  })

  it('is a warning for requests that may pass through with a warning', () => {
    const warning =
      'plant-mock: No handler matches GET http://127.0.0.1:2/orders. The request passes through to the network.'
    expect(reports.stderr.split(warning)).toHaveLength(2)
  })

  it('contains no token', () => {
    expect(Object.values(reports).join('')).not.toContain('nobody-may-see')
  })
})
