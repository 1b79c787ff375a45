import { plantMock } from 'plant-mock/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The mock serves /api/plants, where production has the real service.
  plugins: [plantMock({ fixtures: ['garden'] })],
})
