export {
  aPlant,
  type GeneratedPlant,
  generatePlants,
  type PlantFactory,
  type PlantFactoryOptions,
  plantFactory,
} from './fixtures/factory.ts'
export { garden } from './fixtures/garden.ts'
