import { defineConfig } from '@playwright/test'
import type { PlantTestOptions } from 'plant-mock/playwright'

const { PORT = '5173', CHROMIUM } = process.env
const baseURL = `http://127.0.0.1:${PORT}`

export default defineConfig<PlantTestOptions>({
  fullyParallel: true,
  workers: 2,
  use: {
    baseURL,
    // A Chromium of this system in place of the one that Playwright brings.
    ...(CHROMIUM !== undefined && { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } }),
  },
  // Two ways to go; one of them is enough for an application.
  projects: [
    // The mock of the dev server, which is there anyway.
    { name: 'joined', use: { plantMock: { url: '/api' } } },
    // A mock of their own, for which the application may be served by anything.
    { name: 'own', use: { plantMock: { baseUrl: '/api', fixtures: ['garden'] } } },
  ],
  webServer: {
    command: `npx vite --host 127.0.0.1 --port ${PORT} --strictPort`,
    url: baseURL,
    reuseExistingServer: true,
  },
})
