import { defineConfig } from 'vitest/config'

/** Files that share modules and one process; the package as it is in `node_modules`, loaded by Node.js itself. */
export default defineConfig({
  test: {
    include: ['**/*.sample.ts'],
    isolate: false,
    fileParallelism: false,
    provide: { plantMock: { assume: { 'create.status': 200 } } },
    server: { deps: { external: [/\/dist\//] } },
  },
})
