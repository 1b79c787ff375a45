import { defineConfig } from '@playwright/test'
import type { PlantTestOptions } from 'plant-mock/playwright'

const { PORT = '5173', CHROMIUM } = process.env
const baseURL = `http://127.0.0.1:${PORT}`

export default defineConfig<PlantTestOptions>({
  fullyParallel: true,
  workers: 2,
  use: {
    baseURL,
    plantMock: { url: '/api' },
    ...(CHROMIUM !== undefined && { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } }),
  },
  webServer: {
    command: `npx vite --host 127.0.0.1 --port ${PORT} --strictPort`,
    url: baseURL,
    reuseExistingServer: true,
  },
})
