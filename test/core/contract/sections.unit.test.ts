import { describe, expect, it } from 'vitest'
import { assumptionRegistry } from '../../../src/core/assumptions/registry.ts'
import { contractSection, contractSections } from '../../../src/core/contract/sections.ts'

describe('the sections of the contract', () => {
  it('are found by number', () => {
    expect(contractSection('4.2')?.title).toBe('4.2 List plants')
    expect(contractSection('4.2')?.text).toContain('| Query parameter | `limit`: the maximum number')
    expect(contractSection('4.2')?.text).not.toContain('4.3')
  })

  it('contain rules, which are found by the numbers of section and rule', () => {
    expect(contractSection('2.4')).toEqual({
      section: '2.4',
      title: '2 Resources and their fields, rule 4',
      text: 'Length limits, formats, allowed values and the meaning of `id` and `tag` beyond their names: not shown.',
    })
    expect(contractSection('4.2.1')?.text).toBe(
      'The response never holds more elements than `limit` when `limit` is given.',
    )
  })

  it('include all that the registry cites', () => {
    for (const { section } of assumptionRegistry)
      expect(contractSections(section).map((cited) => cited.section)).toEqual(section.split(', '))
  })

  it('have their text without blank lines around it, and titles that begin with the number', () => {
    for (const { section, title, text } of contractSections()) {
      expect(text).toBe(text.trim())
      expect(title).toMatch(new RegExp(`^${section.split('.')[0]}[. ]`))
    }
    expect(contractSections()[0]).toMatchObject({ section: '1', title: expect.stringMatching(/^1 [A-Z]/) })
    expect(contractSections('10').length + contractSections('').length).toBe(0)
  })

  it('have unique numbers', () => {
    const numbers = contractSections().map(({ section }) => section)
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(contractSections('4.2, 99,2.4').map(({ section }) => section)).toEqual(['4.2', '2.4'])
    expect(contractSection('10')).toBeUndefined()
  })
})
