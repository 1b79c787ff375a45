export type { PlantMock } from './core/mock/plant-mock.ts'
export { type ConnectOptions, connectPlantMock } from './server/control/client.ts'
export { PlantMockError, UnreachableError } from './util/errors.ts'
