import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { provide: { plantMock: { baseUrl: 'http://127.0.0.1:4010' } } } })
