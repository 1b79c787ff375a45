import { expect, it } from 'vitest'
import { assumptionOf, check } from '../support/conformance.ts'
import { quirkyService } from '../support/quirky-service.ts'

const limitFormat = async (initial: number) => {
  const limit = ([text = '100']: readonly string[]) => Number.parseInt(text, 10)
  const report = await check(quirkyService({ initial, limit }), { readOnly: true, rules: [] })
  return assumptionOf(report, 'list.limitFormat')
}

it('a limit of two shows its effect where there are three plants, and not where there are fewer', async () => {
  expect(await limitFormat(3)).toMatchObject({ outcome: 'differs', found: 'prefix' })
  expect(await limitFormat(2)).toMatchObject({ outcome: 'unseen', reason: 'there are too few plants to tell' })
})
