import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'jsdom',
    include: ['*.jsdom.ts'],
    // msw leaves the error of a truncated body to XMLHttpRequest unhandled.
    dangerouslyIgnoreUnhandledErrors: true,
  },
})
