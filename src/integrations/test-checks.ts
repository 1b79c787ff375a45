import type { NamedCallers } from '../core/journal/redact.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import type { OptionNames } from '../util/check-options.ts'
import { PlantMockError } from '../util/errors.ts'

/** Checks that a test can fail by, beside its assertions. */
export type PlantMockChecks = {
  /**
   * What happens when a handler of the test responds for `/plants` in a way that the contract forbids: `fail` fails the
   * test, `report` prints a warning, `off` checks and records no such response. Default: `fail`.
   */
  readonly overrides?: 'fail' | 'report' | 'off'
  /** Whether a test fails that leaves a fault unused, or whose requests violate the contract. Default: false. */
  readonly strict?: boolean
}

export const checkNames: OptionNames<PlantMockChecks> = { overrides: true, strict: true }

/** Where no mock is near: every token is secret. */
export const noCallers: NamedCallers = { secrets: new Map(), findPseudonym: () => undefined, keyOf: (caller) => caller }

/** What a strict test may not leave: pending faults, and requests that violate the contract. */
export const strictFailures = async (mock: Pick<PlantMock, 'pending' | 'violations'>): Promise<readonly string[]> => {
  const faults = (await mock.pending()).map(({ name, hits }) => `  ${name} (hits: ${hits})`)
  const violations = (await mock.violations())
    .filter((violation) => violation.in === 'request')
    .map(({ exchange, section, detail }) => `  ${exchange} violates contract ${section}: ${detail}`)
  return [
    ...(faults.length === 0 ? [] : [['Faults still pending at the end of this test (strict):', ...faults].join('\n')]),
    ...(violations.length === 0 ? [] : [['Requests that violate the contract (strict):', ...violations].join('\n')]),
  ]
}

/** A failure whose frames would all be inside plant-mock and the test runner. */
export const withoutFrames = (message: string): PlantMockError => {
  const failure = new PlantMockError(message)
  failure.stack = `${failure.name}: ${failure.message}`
  return failure
}
