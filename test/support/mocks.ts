import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createPlantMock, type PlantMock, type PlantMockOptions } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { plantMiddleware, startPlantMock } from 'plant-mock/node'

/** One way to a mock, near or far; each has the same interface. */
export type Way = {
  readonly name: string
  readonly open: (
    options?: PlantMockOptions,
  ) => Promise<{ readonly mock: PlantMock; readonly close: () => Promise<unknown> }>
}

const controlKey = 'key-of-the-tests'

const inProcess: Way['open'] = async (options) => ({
  mock: createPlantMock(options),
  close: async () => undefined,
})

const server: Way['open'] = async (options) => {
  const { url, close } = await startPlantMock(options)
  return { mock: connectPlantMock(url), close }
}

const serverWithKey: Way['open'] = async (options) => {
  const { url, close } = await startPlantMock({ ...options, controlKey })
  return { mock: connectPlantMock(url, { key: controlKey }), close }
}

/** Below a path of a server of the user's own. */
const middleware: Way['open'] = async (options) => {
  const own = createServer(express().use('/api', plantMiddleware(createPlantMock(options))))
  own.listen(0, '127.0.0.1')
  await once(own, 'listening')
  const { port } = own.address() as AddressInfo
  return {
    mock: connectPlantMock(new URL(`http://127.0.0.1:${port}/api/`)),
    close: async () => {
      const closed = once(own, 'close')
      own.close()
      own.closeAllConnections()
      await closed
    },
  }
}

const sessionOf =
  (open: Way['open']): Way['open'] =>
  async (options) => {
    const { mock, close } = await open(options)
    return { mock: mock.session('session 1'), close }
  }

export const ways: readonly Way[] = [
  { name: 'in this process', open: inProcess },
  { name: 'as a server', open: server },
  { name: 'as a server with a key', open: serverWithKey },
  { name: 'as middleware', open: middleware },
  { name: 'as a session in this process', open: sessionOf(inProcess) },
  { name: 'as a session of a server', open: sessionOf(server) },
]
