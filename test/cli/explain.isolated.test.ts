import { describe, expect, it } from 'vitest'
import type { RunSuite } from '../../src/cli/run-suite.ts'
import { openClientFolder } from '../support/client-folder.ts'
import { type ClientContext, type ClientFiles, clientScript, clientSuite } from '../support/client-suite.ts'
import { finish as finishCommand } from '../support/command-line.ts'
import { parseVaryReport } from '../support/vary-report.ts'

const folder = await openClientFolder()

const finish = (args: readonly string[], runSuite: RunSuite) =>
  finishCommand(['vary', '--output', folder, ...args, '--', 'run-the-client'], { runSuite })
const report = async (args: readonly string[], runSuite: RunSuite) =>
  parseVaryReport(await finish(['--reporter', 'json', ...args], runSuite))

const needs = (condition: unknown, message = 'unexpected'): void => {
  if (!condition) throw new Error(message)
}

type Test = (context: ClientContext) => Promise<void>

/** Sends creates or lists, in which `fits` tells whether each is as the client expects it; then judges all of them. */
const sends =
  (kinds: string, judge: (fits: readonly boolean[]) => boolean): Test =>
  async ({ create, list, send }) => {
    const fits: boolean[] = []
    let id = 900
    for (const kind of kinds)
      if (kind === 'c') fits.push((await create(id++)).status === 201)
      else if (kind === 'd') fits.push((await create(900)).status === 409)
      else if (kind === 'k') fits.push((await (await create(id++)).text()).startsWith('{"name"'))
      else if (kind === 'K') fits.push((await (await send('/plants?limit=1')).text()).startsWith('[{"name"'))
      else if (kind === 'h') fits.push((await list('?limit=100')).some(({ name }) => name === 'Hoya'))
      else fits.push((await list())[0]?.name === 'Monstera deliciosa')
    needs(judge(fits))
  }
/** Relies on one response. */
const relies = (kinds: string, on: number) => sends(kinds, (fits) => fits[on - 1] === true)
const wrong = (fits: readonly boolean[]) => fits.filter((fit) => !fit).length

/** Sends creates, and lists after each one that is not as expected; relies on one create. */
const asksAgain =
  (creates: number, on: number): Test =>
  async ({ create, list }) => {
    const fits: boolean[] = []
    for (let id = 900; id < 900 + creates; id++) {
      fits.push((await create(id)).status === 201)
      if (fits.at(-1) === false) await list()
    }
    needs(fits[on - 1])
  }

/** The alternatives, the tests of the client, and the numbers of the exchanges that break the last one. */
type Case = readonly [name: string, alternatives: string, tests: readonly Test[], exchanges: readonly number[]]

const status = 'create.status=200'
const order = 'list.order=newest'
let first = ''

const cases: readonly Case[] = [
  ['the only create', status, [relies('c', 1)], [1]],
  ['the first of 4 creates', status, [relies('cccc', 1)], [1]],
  ['the third of 5 creates', status, [relies('ccccc', 3)], [3]],
  ['the last of 8 creates', status, [relies('cccccccc', 8)], [8]],
  ['a create of a client that lists after each unexpected one', status, [asksAgain(8, 4)], [7]],
  ['the last such create', status, [asksAgain(5, 5)], [9]],
  ['the first of 5 lists', order, [relies('lllll', 1)], [1]],
  ['the fourth of 7 lists', order, [relies('lllllll', 4)], [4]],
  ['the last of 6 lists', order, [relies('llllll', 6)], [6]],
  ['a list between creates and lists', order, [relies('lclclcl', 5)], [5]],
  ['a create between lists and creates', status, [relies('lclclcl', 4)], [4]],
  ['a create where every response differs', 'json.keyOrder=tag-name', [relies('KkKkKk', 4)], [4]],
  ['a list where every response differs', 'json.keyOrder=tag-name', [relies('KkKkKk', 5)], [5]],
  ['the first of those that are each enough', order, [sends('cllll', (fits) => wrong(fits) === 0)], [2]],
  ['an exchange of the second test', order, [sends('lll', () => true), relies('llll', 2)], [5]],
  [
    'an exchange of an earlier test whose response is used later',
    order,
    [
      async ({ list }) => {
        await list()
        first = (await list())[0]?.name ?? ''
        await list()
      },
      async () => needs(first === 'Monstera deliciosa'),
    ],
    [2],
  ],
  ['a refusal that does not come', 'create.duplicateId=accept', [relies('cdd', 3)], [3]],
  [
    'a create by what it stores',
    'create.duplicateId=accept',
    [
      async ({ create, list }) => {
        await create(900)
        await list()
        await create(900)
        await list()
        needs((await list('?limit=100')).filter(({ name }) => name === 'Hoya').length === 1)
      },
    ],
    [3],
  ],
  ['a list without the plant just created', 'create.visibility=eventual', [relies('hchh', 3)], [3]],
  ['two creates together', status, [sends('cccc', ([a, b]) => a === true || b === true)], [1, 2]],
  ['any two creates together', status, [sends('ccccc', (fits) => wrong(fits) < 2)], [1, 2]],
  [
    'a create and a list, under one alternative each',
    `${status} ${order}`,
    [sends('cl', (fits) => wrong(fits) < 2)],
    [1, 2],
  ],
]

const clientOf = (tests: readonly Test[]): ClientFiles => ({
  a: Object.fromEntries(tests.map((test, index) => [`test ${index + 1}`, test])),
  b: { 'another file': async ({ list }) => void (await list()) },
})
const only = (alternatives: string) => alternatives.split(' ').flatMap((key) => ['--only', key])

describe('plant-mock vary --explain names', () => {
  it.each(cases)('%s', async (_, alternatives, tests, exchanges) => {
    const { broken } = await report(['--explain', ...only(alternatives)], clientSuite(clientOf(tests)))
    expect(
      broken.map(({ explained }) => [explained?.verdict, explained?.exchanges.map((one) => one.exchange)]),
    ).toEqual([[exchanges.length > 1 ? 'together' : 'alone', exchanges]])
  })

  it('an exchange of a command whose tests are not known', async () => {
    const { broken } = await report(['--explain', ...only(status)], clientScript(relies('ccc', 2)))
    expect(broken).toMatchObject([{ tests: [], explained: { verdict: 'alone', differing: 3 } }])
    expect(broken[0]?.explained?.exchanges).toEqual([
      {
        exchange: 2,
        name: 'createPlant 2',
        request: 'POST /plants {"id":901,"name":"Hoya","tag":"climber"}',
        diff: ['- 201 application/json', '+ 200 application/json', '  {"name":"Hoya","tag":"climber"}'],
      },
    ])
  })
})

describe('plant-mock vary --explain', () => {
  it('prints the exchange that is enough, instead of the first one that differs', async () => {
    const { out } = await finish(['--explain', ...only(status)], clientSuite(clientOf([relies('ccc', 2)])))
    const [, explained] = /at all\n([\s\S]*?)\n {5}Output/.exec(out.replace('unexpected', 'at all')) ?? []
    expect(explained).toMatchInlineSnapshot(`
      "    POST /plants {"id":901,"name":"Hoya","tag":"climber"}
            - 201 application/json
            + 200 application/json
              {"name":"Hoya","tag":"climber"}
           Reason  this response alone is enough; 3 differ"
    `)
  })

  it('has the reason in the JUnit report', async () => {
    const args = ['--explain', '--reporter', 'junit', ...only(status)]
    const { out } = await finish(args, clientSuite(clientOf([relies('ccc', 2)])))
    expect(out).toContain('Reason: this response alone is enough; 3 differ')
  })

  it('prints the smallest set found where no exchange is enough', async () => {
    const { out } = await finish(
      ['--explain', ...only(status)],
      clientSuite(clientOf([sends('cccc', (fits) => wrong(fits) < 2)])),
    )
    expect(out).toContain(
      'Reason  only 2 responses together, the smallest set found; 4 differ, and the last is needed\n',
    )
  })

  it('names no exchange if the test does not fail again', async () => {
    let failures = 0
    const failsFourTimes = sends('cc', (fits) => wrong(fits) === 0 || ++failures > 4)
    const { broken } = await report(['--explain', ...only(status)], clientSuite(clientOf([failsFourTimes])))
    expect(broken).toMatchObject([{ explained: { verdict: 'flaky', exchanges: [] } }])
  })

  it('does no further run where nothing breaks', async () => {
    const suite = () => clientSuite(clientOf([sends('cc', () => true)]))
    const [plain, explained] = [
      await report(only(status), suite()),
      await report(['--explain', ...only(status)], suite()),
    ]
    expect(explained.runs).toBe(plain.runs)
  })
})
