import type { RunnerName } from '../events.ts'
import { jest } from './jest.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { playwright } from './playwright.ts'
import type { Runner } from './runner.ts'
import { vitest } from './vitest.ts'

/** How the tests of each runner are observed. */
export const runners: Readonly<Record<RunnerName, Runner>> = {
  'node:test': nodeTest,
  mocha,
  jest,
  vitest,
  playwright,
}
