import type { AssumptionId } from 'plant-mock'
import type { ConformanceReport } from 'plant-mock/conformance'
import { expect, it } from 'vitest'
import { baseUrl, check, maxCreated, tokens } from '../support/conformance.ts'
import { type Expected, type Quirk, quirks, unseen, usual } from '../support/quirks.ts'
import { quirkyService } from '../support/quirky-service.ts'

type AssumptionResult = ConformanceReport['assumptions'][number]

const matches = (expected: Expected, result: AssumptionResult): boolean => {
  if (Array.isArray(expected)) return expected.some((one) => matches(one, result))
  if (expected === unseen) return result.outcome === 'unseen'
  if (expected instanceof RegExp) return result.outcome === 'other' && expected.test(result.found)
  return (result.outcome === 'agrees' || result.outcome === 'differs') && result.found === expected
}

const includes = (ids: readonly string[] | 'any' | undefined, id: string) => ids === 'any' || ids?.includes(id) === true

const isObjection = (outcome: string) => outcome === 'failed' || outcome === 'advised'

const errorsIn = ({ rules, assumptions, incomplete }: ConformanceReport, quirk: Quirk) => {
  const { breaks = [], skips, finds = {}, hides } = quirk
  const of = (ids: readonly (string | readonly [string, boolean])[]) => ids
  const falseKept = rules.filter(({ id, outcome }) => breaks.includes(id) && !isObjection(outcome))
  const falseBroken = rules.filter(({ id, outcome }) => !breaks.includes(id) && isObjection(outcome))
  const missed = rules.filter(
    ({ id, outcome }) => !breaks.includes(id) && outcome === 'skipped' && !includes(skips, id),
  )
  const expectedOf = (id: AssumptionId): Expected => finds[id] ?? usual[id] ?? unseen
  const wrong = assumptions
    .filter(({ id, outcome }) => outcome !== 'unseen' || finds[id] !== undefined)
    .filter(
      (result) =>
        !matches(expectedOf(result.id), result) && !(result.outcome === 'unseen' && includes(hides, result.id)),
    )
  const blind = assumptions.filter(
    (result) =>
      result.outcome === 'unseen' &&
      finds[result.id] === undefined &&
      !matches(expectedOf(result.id), result) &&
      !includes(hides, result.id),
  )
  const reasons = quirk.incomplete === undefined ? incomplete === undefined : quirk.incomplete.test(incomplete ?? '')
  const told = (result: { readonly id: string; readonly outcome: string }) =>
    `${result.id}: ${'reason' in result ? result.reason : 'found' in result ? result.found : result.outcome}`
  return {
    falseKept: falseKept.map(told),
    falseBroken: falseBroken.map(told),
    wronglyLearned: of(wrong.map(told)),
    missed: [...missed, ...blind].map(told),
    incomplete: reasons ? [] : [incomplete ?? 'the report is complete'],
  }
}

const none: readonly string[] = []
const noErrors = { falseKept: none, falseBroken: none, wronglyLearned: none, missed: none, incomplete: none }

const checkQuirk = async ({ service: behaviour, options, finds = {}, hides = [], incomplete }: Quirk) => {
  const service = quirkyService(behaviour)
  const { now, wait } = service
  // These probes send as much as all other probes: bodies of 1 MiB, and creates of 100 plants.
  const large = 'body.maxSize' in finds || 'error.syntaxBody' in finds ? [] : ['body.maxSize']
  const isAboutLength =
    incomplete !== undefined || [...Object.keys(finds), ...hides].some((id) => /^list\.|^rate/.test(id))
  const skip = [...large, ...(isAboutLength ? [] : ['list.maxLimit', 'list.defaultLimit'])]
  return { service, report: await check(service, { now, wait, skip, ...options }) }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const plantText = ({ id, name, tag }: { readonly id?: unknown; readonly name?: unknown; readonly tag?: unknown }) =>
  JSON.stringify({ id, name, tag })

it.each(Object.entries(quirks))(
  'where %s, a check gives the right verdicts, and creates known plants',
  async (_, quirk) => {
    const { service, report } = await checkQuirk(quirk)
    expect(errorsIn(report, quirk)).toEqual(noErrors)

    const sent = service.posted.map(jsonOf).filter((body) => body !== undefined)
    expect(sent.filter((body) => !isRecognisable(body))).toEqual([])
    for (const { length } of [service.kept, report.plants]) expect(length).toBeLessThanOrEqual(maxCreated)

    const certain = report.plants.filter((plant) => plant.certain && plant.name !== undefined).map(plantText)
    const reported = new Set(report.plants.map(plantText))
    const stored = service.kept.filter(({ text }) => jsonOf(text) !== undefined).map(({ sent }) => plantText(sent))
    expect(stored.filter((text) => !reported.has(text))).toEqual([])
    const accepted = new Set(service.accepted.map(plantText))
    expect(certain.filter((text) => !accepted.has(text))).toEqual([])
  },
)

const isRecognisable = (body: unknown): boolean => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { name, tag } = body as Readonly<Record<string, unknown>>
  return [name, tag].some((text) => typeof text === 'string' && text.startsWith('plant-mock check'))
}

it('leaves the lists of a store that takes anything intact', async () => {
  const quirk = quirks['anything is stored, and lists fail once something odd is stored']
  const { service } = await checkQuirk(quirk ?? { service: {} })
  const headers = { authorization: `Bearer ${tokens.caller}` }
  const list = await service(`${baseUrl}/plants`, { method: 'GET', headers })
  expect(list.status).toBe(200)
})
