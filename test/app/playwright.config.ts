import { defineConfig } from '@playwright/test'
import type { PlantTestOptions } from 'plant-mock/playwright'

const { PORT = '5173', CHROMIUM } = process.env
const baseURL = `http://127.0.0.1:${PORT}`

export default defineConfig<PlantTestOptions>({
  fullyParallel: true,
  workers: 2,
  use: {
    baseURL,
    // An installed Chromium instead of the one that Playwright downloads.
    ...(CHROMIUM !== undefined && { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } }),
  },
  // Two alternatives; an application needs only one of them.
  projects: [
    // The mock in the dev server, which runs anyway.
    { name: 'running-mock', use: { plantMock: { url: '/api' } } },
    // A mock that each worker starts, for an application that any server may serve. One worker: starting another takes
    // longer than its share of the tests.
    { name: 'worker-mock', workers: 1, use: { plantMock: { baseUrl: '/api', fixtures: ['garden'] } } },
  ],
  webServer: {
    command: `npx vite --host 127.0.0.1 --port ${PORT} --strictPort`,
    url: baseURL,
    reuseExistingServer: true,
  },
})
