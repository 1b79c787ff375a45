import { checkConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { createInternalMock } from '../../../src/core/mock/create-plant-mock.ts'
import type { EvidenceLog } from '../../../src/vary/evidence/evidence-log.ts'
import { type MutantId, mutantIds, mutants } from '../../../src/vary/evidence/mutants.ts'
import { evidenceObserver } from '../../../src/vary/evidence/observer.ts'
import { whole } from '../../../src/vary/evidence/plan.ts'
import { rules } from '../../../src/verify/ask/rules/rules.ts'
import { baseUrl, tokens } from '../../support/conformance.ts'

const evidence: EvidenceLog = {
  now: Date.now,
  write: () => undefined,
  writeDifference: () => undefined,
  nextLifetime: () => 1,
  close: () => undefined,
}

/** What `verify` finds out about a mock with this mutant, by rule. */
const check = async (id?: MutantId) => {
  const fixtures = [{ id: 1, name: 'Moss', tag: 'ground' }]
  const changes = id === undefined ? [] : [{ mutant: id }]
  const observer = evidenceObserver(evidence, { changes, serve: { [whole]: [...changes.keys()] } })
  const { fetch } = createInternalMock({ fixtures, onNotice() {} }, { observer, fixed: [] })
  const report = await checkConformance({ baseUrl, fetch, tokens, wait: async () => undefined })
  return Object.fromEntries(report.rules.map((rule) => [rule.id, rule.outcome]))
}

/** `verify` takes a 401 for a token that is not valid, and a failure about one plant for one of its values: it skips the rule. */
const undecided: readonly MutantId[] = ['create.refused', 'create.fails', 'list.refused']
/** The contract does not say that a plant is listed once, nor how soon. */
const unjudged: readonly MutantId[] = ['list.twice', 'list.missing']
const judged = mutantIds.filter((id) => !unjudged.includes(id))

describe('a mutant', () => {
  it.each(judged)('%s breaks the rule that it names', async (id) => {
    expect((await check(id))[mutants[id].rule]).toBe(undecided.includes(id) ? 'skipped' : 'failed')
  })

  it('exists for each rule that the contract states', () => {
    const stated = rules.filter(({ isAdvice }) => !isAdvice).map(({ id }) => id)
    expect([...new Set<string>(judged.map((id) => mutants[id].rule))].sort()).toEqual(stated.toSorted())
  })
})

it('each mutant would change a response to a check of a service', async () => {
  const visible = new Set<number>()
  const observer = evidenceObserver(
    {
      ...evidence,
      write(line) {
        if (line.type === 'visible') for (const index of line.changes) visible.add(index)
      },
    },
    { changes: mutantIds.map((mutant) => ({ mutant })) },
  )
  const { fetch } = createInternalMock({ onNotice() {} }, { observer, fixed: [] })
  await checkConformance({ baseUrl, fetch, tokens, wait: async () => undefined })
  expect(mutantIds.filter((_, index) => !visible.has(index))).toEqual([])
})

it('a mock without a mutant keeps each rule', async () => {
  expect(new Set(Object.values(await check()))).toEqual(new Set(['passed']))
})
