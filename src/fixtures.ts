export {
  aPlant,
  type GeneratedPlant,
  generatePlants,
  type PlantFactory,
  type PlantFactoryOptions,
  plantFactory,
} from './core/fixtures/factory.ts'
export { garden } from './core/fixtures/garden.ts'
