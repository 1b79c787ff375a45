import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCoverage, type Coverage, renderCoverage } from './core/mock/coverage.ts'
import { coverageVariable } from './integrations/jest-globals.ts'

/**
 * A reporter of Jest to use beside another one: at the end of a run, prints which outcomes of the contract the tests
 * covered and which they missed. Prints nothing when no test used a mock.
 * @example
 * reporters: ['default', 'plant-mock/jest-reporter']
 */
export class PlantMockReporter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'plant-mock-'))

  /** Jest creates its reporters before its workers, which inherit the environment. */
  constructor() {
    process.env[coverageVariable] = this.#folder
  }

  onRunComplete(): void {
    const parts = readdirSync(this.#folder).flatMap((file) => coverageIn(join(this.#folder, file)))
    rmSync(this.#folder, { recursive: true })
    if (parts.length > 0) console.log(`\n${renderCoverage(addCoverage(parts))}`)
  }
}

const coverageIn = (file: string): readonly Coverage[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Coverage)

// Jest loads the default export of a reporter.
export { PlantMockReporter as default }
