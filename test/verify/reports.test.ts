import { type AssumptionId, assumptionRegistry } from 'plant-mock'
import { renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { paintFor } from '../../src/server/start/paint.ts'
import { check } from '../support/conformance.ts'
import { beyond, quirky, reportOn, wrong } from '../support/reports.ts'

// After a change of a verdict or of words, update the snapshot of this file with `-u`, and read its diff.

describe('a report', () => {
  const usual = () => reportOn(quirky('no quirk'))

  it('is the approved one for a usual service', async () => {
    expect(await usual()).toMatchSnapshot()
  })

  it.each(['another caller sees everything, and lists are objects', 'names are from a list'])(
    'is the approved one where %s',
    async (name) => {
      expect(beyond(await reportOn(quirky(name)), await usual())).toMatchSnapshot()
    },
  )

  const shown: readonly AssumptionId[] = ['create.status', 'list.zeroLimit', 'list.order', 'error.limitStatus']
  it.each(['text', 'junit'] as const)('that shows everything is the approved one as %s', async (format) => {
    const { fetch, options } = wrong('limit is ignored', 'plants come by id', 'a limit is required')
    const expected = new Map([['create.status', { value: 200 as const }]] as const)
    const rules = ['list.json', 'list.limit']
    const report = await check(fetch, {
      ...options,
      expect: expected,
      rules,
      skip: assumptionRegistry.flatMap(({ id }) => (shown.includes(id) ? [] : [id])),
    })
    expect(renderConformance(report, format, paintFor(format === 'text', {}))).toMatchSnapshot()
  })
})
