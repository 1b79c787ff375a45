import { plantMock } from 'plant-mock/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The page asks /api/plants, and the mock answers. In production, a real service does.
  plugins: [plantMock({ fixtures: ['garden'] })],
})
