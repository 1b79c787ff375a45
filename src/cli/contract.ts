import { contractSection, contractSections } from '../core/contract/sections.ts'
import { sectionsIn } from '../core/contract/violation.ts'
import { openApiDocument } from '../core/operations/openapi.ts'
import { PlantMockError } from '../util/errors.ts'
import { printableJson } from '../util/terminal.ts'
import type { RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { assumptionsOf } from './start-options.ts'

export const contract: RunCliCommand = async (line, terminal, version) => {
  if (line.operands.length > 0) terminal.out(sectionsText(line.operands))
  else {
    const { assumptions } = await assumptionsOf(line, terminal)
    terminal.out(`${printableJson(openApiDocument(assumptions, version), 2)}\n`)
  }
  return exitCodes.success
}

const sectionsText = (operands: readonly string[]): string => {
  const numbers = operands.flatMap(sectionsIn)
  const unknown = numbers.length === 0 ? '' : numbers.find((number) => contractSection(number) === undefined)
  if (unknown !== undefined) {
    const known = contractSections()
      .map(({ section }) => section)
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    throw new PlantMockError(`Unknown section "${unknown}". The sections are ${known.join(', ')}.`)
  }
  return contractSections([...new Set(numbers)].join(','))
    .map(({ title, text }) => `${title}\n\n${text}\n`)
    .join('\n')
}
