import { defineConfig } from 'vitest/config'

/** The samples are run by `vitest-samples.test.ts` alone: some of them are meant to fail. */
export default defineConfig({ test: { include: ['**/*.sample.ts'] } })
