import { defineConfig } from '@playwright/test'
import type { PlantTestOptions } from 'plant-mock/playwright'
import { launchOptions } from '../browser/chromium.ts'

/** This `tsconfig.json` maps no paths, which makes tests import the built package. */
export default defineConfig<PlantTestOptions>({
  tsconfig: '../../example/vite/tsconfig.json',
  timeout: 15_000,
  use: {
    baseURL: 'http://site.example',
    launchOptions,
    extraHTTPHeaders: { 'X-Extra': 'configuration' },
  },
  projects: [
    {
      name: 'worker-mock',
      testMatch: 'worker-mock.spec.ts',
      use: {
        plantMock: {
          baseUrl: 'https://api.example.com/v1/',
          fixtures: ['garden'],
          assume: { 'create.status': 200 },
          faults: [{ caller: 'unlucky', status: 500 }],
        },
      },
    },
    {
      name: 'running-mock',
      testMatch: 'running-mock.spec.ts',
      use: { plantMock: { assume: { 'create.status': 200 } } },
    },
    // guides.test.ts extracts these tests from a guide, and runs them on the example for Vite.
    { name: 'guides', testDir: '../.guides/app', use: { baseURL: process.env.APP_URL } },
    { name: 'failing', testMatch: 'failing.spec.ts', use: { plantMock: { baseUrl: '/api' } } },
    { name: 'overrides', testMatch: 'override.spec.ts', use: { plantMock: { baseUrl: '/api' } } },
  ],
})
