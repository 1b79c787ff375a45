import { expect, it } from 'vitest'
import { assumptionOf, check } from '../support/conformance.ts'
import { quirkyService } from '../support/quirky-service.ts'

const limitFormat = async (initial: number) => {
  const limit = ([text = '100']: readonly string[]) => Number.parseInt(text, 10)
  const report = await check(quirkyService({ initial, limit }), { readOnly: true, rules: [] })
  return assumptionOf(report, 'list.limitFormat')
}

it.each([2, 3])('the text of a limit shows its effect where there are %i plants', async (plants) => {
  expect(await limitFormat(plants)).toMatchObject({ outcome: 'differs', found: 'prefix' })
})
