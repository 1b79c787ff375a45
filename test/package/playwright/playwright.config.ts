import { defineConfig } from '@playwright/test'
import type { PlantTestOptions } from 'plant-mock/playwright'
import { launchOptions } from '../browser/chromium.ts'

/** Run by `playwright.test.ts`, on the built package: the other `tsconfig.json` does not know of its source. */
export default defineConfig<PlantTestOptions>({
  tsconfig: '../../app/tsconfig.json',
  timeout: 15_000,
  use: {
    baseURL: 'http://site.example',
    launchOptions,
    extraHTTPHeaders: { 'X-Own': 'configuration' },
  },
  projects: [
    {
      name: 'own',
      testMatch: 'own.spec.ts',
      use: {
        plantMock: {
          baseUrl: 'https://api.example.com/v1/',
          fixtures: ['garden'],
          assume: { 'create.status': 200 },
          faults: [{ caller: 'unlucky', status: 500 }],
        },
      },
    },
    { name: 'joined', testMatch: 'joined.spec.ts', use: { plantMock: { assume: { 'create.status': 200 } } } },
    // guides.test.ts extracts this block of a guide to a file; it runs on the example application.
    { name: 'guides', testDir: '../.guides/app', use: { baseURL: process.env.APP_URL } },
    { name: 'failing', testMatch: 'failing.spec.ts', use: { plantMock: { baseUrl: '/api' } } },
  ],
})
