import { createServer } from 'node:http'
import { createPlantMock } from 'plant-mock'
import { loadFixtures, plantMiddleware, type StartedPlantMock, startPlantMock } from 'plant-mock/node'

const middleware = plantMiddleware(createPlantMock({ fixtures: await loadFixtures('garden') }))
export const server = createServer((req, res) => middleware(req, res, () => res.end()))
export const started: StartedPlantMock = await startPlantMock({ port: 0, fixtures: ['garden'] })

// @ts-expect-error A port is a number.
startPlantMock({ port: '4010' })
