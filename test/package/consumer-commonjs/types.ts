import { createServer } from 'node:http'
import { createPlantMock, type FixturePlant, type PlantMock, PlantMockError } from 'plant-mock'
import { checkConformance } from 'plant-mock/conformance'
import { openApiDocument } from 'plant-mock/contract'
import { connectPlantMock } from 'plant-mock/control'
import { aPlant } from 'plant-mock/fixtures'
import { plantMiddleware, type StartedPlantMock, startPlantMock } from 'plant-mock/node'

const mock: PlantMock = createPlantMock({ fixtures: [aPlant()], assume: { 'create.status': 200 } })
const listen = (served: PlantMock) => createServer((req, res) => plantMiddleware(served)(req, res, () => res.end()))
export const server = listen(mock)
export const start = (): Promise<StartedPlantMock> => startPlantMock({ mock })
export const remote: PlantMock = connectPlantMock('http://127.0.0.1:4010')
export const plants: Promise<readonly FixturePlant[]> = mock.plants.all()
export const document = async () => openApiDocument(await mock.assumptions(), '1.0.0')
export const report = checkConformance({ baseUrl: 'http://127.0.0.1:4010', tokens: { caller: 'alice' } })
export const isOurs = (error: unknown) => error instanceof PlantMockError && error.message

// @ts-expect-error Unknown value.
createPlantMock({ assume: { 'create.status': 204 } })
