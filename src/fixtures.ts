export {
  aPlant,
  generatePlants,
  type MadePlant,
  type PlantFactory,
  type PlantFactoryOptions,
  plantFactory,
} from './fixtures/factory.ts'
export { garden } from './fixtures/garden.ts'
