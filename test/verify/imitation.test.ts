import { type Assume, createPlantMock, type PlantMock } from 'plant-mock'
import { checkConformance, learn, parseEntries } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { listen, numbers } from '../support/conformance.ts'
import { type Answer, answers, areEqual, describeAnswer } from '../support/imitation.ts'
import { callers, scenarios } from '../support/imitation-corpus.ts'
import { differences } from '../support/stock-services/differences.ts'
import { type StockService, stockServices } from '../support/stock-services/index.ts'

const tokens = Object.values(callers)

/** Runs a function against a fresh instance of a service. */
const serving = async <T>(service: StockService, run: (url: string) => Promise<T>): Promise<T> => {
  const server = await listen(await service(tokens))
  try {
    return await run(server.url)
  } finally {
    await server.close()
  }
}

/** Checks a service, and reads back the assumptions file that was learned. */
const learnFrom = (service: StockService) =>
  serving(service, async (baseUrl) => {
    const report = await checkConformance({
      baseUrl,
      tokens: { caller: callers.alice, other: callers.bob },
      wait: async () => undefined,
      random: numbers(1),
    })
    const file = learn(report.assumptions, new Map(), { host: 'stock.example', date: '2026-11-22' })
    const entries = parseEntries(JSON.stringify(file), 'learned.json')
    const values = [...entries].flatMap(([id, entry]) => ('value' in entry ? [[id, entry.value]] : []))
    return { report, learned: Object.fromEntries(values) as Assume }
  })

const imitating = (assume: Assume): PlantMock =>
  createPlantMock({ assume, ...(assume['auth.tokens'] === 'listed' && { tokens }) })

/** The answers to one exchange of the corpus. */
type Row = {
  readonly exchange: string
  readonly service: Answer
  /** With the default assumptions. */
  readonly before: Answer
  /** With the learned assumptions. */
  readonly after: Answer
}

/** Sends the corpus to a service and to two mocks; each scenario to fresh instances, so that a difference stays in it. */
const compare = async (service: StockService, learned: Assume): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for (const scenario of scenarios) {
    const expected = await serving(service, (url) => answers(scenario, fetch, url))
    const before = await answers(scenario, imitating({}).fetch)
    const after = await answers(scenario, imitating(learned).fetch)
    for (const [i, { name }] of scenario.steps.entries()) {
      const [ofService, ofDefault, ofLearned] = [expected[i], before[i], after[i]]
      if (ofService === undefined || ofDefault === undefined || ofLearned === undefined) throw new Error(name)
      rows.push({ exchange: `${scenario.name}: ${name}`, service: ofService, before: ofDefault, after: ofLearned })
    }
  }
  return rows
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

/** The shares of equal answers, in which those that the contract forbids do not count. */
const measure = (name: keyof typeof stockServices, rows: readonly Row[]) => {
  const differing = rows
    .filter(({ service, after }) => !areEqual(service, after))
    .map((row) => ({ ...row, known: differences[name].find(({ exchanges }) => exchanges.test(row.exchange)) }))
  const forbidden = differing.filter(({ known }) => known?.because === 'forbidden').length
  const allowed = rows.length - forbidden
  const after = rows.length - differing.length
  return {
    share: after / allowed,
    unexplained: differing.filter(({ known }) => known === undefined).map(({ exchange }) => exchange),
    table: [
      `${name}: ${rows.length} exchanges, ${forbidden} forbidden by the contract`,
      `  equal before ${percent(rows.filter(({ service, before }) => areEqual(service, before)).length, rows.length)}, ` +
        `by status alone ${percent(rows.filter(({ service, before }) => service.status === before.status).length, rows.length)}`,
      `  equal after  ${percent(after, allowed)}`,
      `  WWW-Authenticate differs in ${rows.filter((row) => row.service.hasChallenge !== row.after.hasChallenge).length}`,
      ...differing.flatMap(({ exchange, service, after, known }) => [
        `  ${exchange}`,
        `    ${known?.because ?? 'unexplained'}: ${known?.reason ?? '?'}`,
        `    service: ${describeAnswer(service)}`,
        `    mock:    ${describeAnswer(after)}`,
      ]),
    ].join('\n'),
  }
}

/** The measured shares, less about one percent. */
const floors: Readonly<Record<keyof typeof stockServices, number>> = {
  Express: 0.94,
  Fastify: 0.97,
  Hono: 0.96,
  'Express with HTML pages': 0.96,
  'node:http with paging': 0.95,
}

describe('a mock with the assumptions learned from a service', () => {
  it.each(Object.entries(stockServices) as [keyof typeof stockServices, StockService][])(
    'answers like %s, apart from known differences',
    async (name, service) => {
      const { report, learned } = await learnFrom(service)
      expect(report.rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
      const { share, unexplained, table } = measure(name, await compare(service, learned))
      // `IMITATION_TABLE=1 npx vitest …` shows every difference.
      if (process.env.IMITATION_TABLE) console.info(`${table}\n${JSON.stringify(learned, null, 2)}`)
      expect(unexplained).toEqual([])
      expect(share).toBeGreaterThan(floors[name])
    },
  )
})
