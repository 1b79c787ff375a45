export { type ConnectOptions, connectPlantMock } from './control/client.ts'
export type { PlantMock } from './mock/plant-mock.ts'
export { PlantMockError, UnreachableError } from './util/errors.ts'
