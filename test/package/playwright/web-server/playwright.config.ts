import { defineConfig } from '@playwright/test'

const { PLANT_MOCK_PORT: port, PLANT_MOCK_BIN: bin } = process.env

export default defineConfig({
  testMatch: 'web-server.spec.ts',
  use: { baseURL: `http://127.0.0.1:${port}` },
  webServer: { command: `node ${bin} --port ${port}`, url: `http://127.0.0.1:${port}`, timeout: 30_000 },
})
