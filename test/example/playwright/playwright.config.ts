import { defineConfig } from '@playwright/test'
import type { PlantTestOptions } from 'plant-mock/playwright'

const { PORT = '5173', CHROMIUM } = process.env
const baseURL = `http://127.0.0.1:${PORT}`

export default defineConfig<PlantTestOptions>({
  fullyParallel: true,
  use: {
    baseURL,
    plantMock: { baseUrl: 'https://api.example.com', fixtures: ['garden'] },
    ...(CHROMIUM !== undefined && { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } }),
  },
  webServer: { command: `npx vite --host 127.0.0.1 --port ${PORT} --strictPort`, url: baseURL },
})
