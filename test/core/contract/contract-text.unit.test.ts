import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { contractText } from '../../../src/core/contract/contract-text.ts'

it('the text of the contract is the unchanged contract.md', () => {
  const file = new URL('../../../src/core/contract/contract.md', import.meta.url)
  expect(contractText).toBe(readFileSync(file, 'utf8'))
})
