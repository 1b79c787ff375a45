import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const launchOptions = { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] }

export default defineConfig({
  test: {
    include: ['*.browser.ts'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
