import { defineConfig } from 'vitest/config'

/** For `vitest-integration.test.ts`: some of the samples are meant to fail. */
export default defineConfig({ test: { include: ['**/*.sample.ts'] } })
