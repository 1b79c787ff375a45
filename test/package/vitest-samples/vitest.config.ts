import { defineConfig } from 'vitest/config'

/** Only `vitest-integration.test.ts` runs the samples, because some fail on purpose. */
export default defineConfig({ test: { include: ['**/*.sample.ts'] } })
