import { defineConfig } from 'vitest/config'

/** Files share one process and its modules; Node.js loads the package untransformed, as from `node_modules`. */
export default defineConfig({
  test: {
    include: ['**/*.sample.ts'],
    isolate: false,
    fileParallelism: false,
    provide: { plantMock: { assume: { 'create.status': 200 } } },
    server: { deps: { external: [/\/dist\//] } },
  },
})
