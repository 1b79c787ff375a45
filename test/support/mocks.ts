import express from 'express'
import { createPlantMock, type PlantMock, type PlantMockOptions } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { plantMiddleware, startPlantMock } from 'plant-mock/node'
import { listen } from './conformance.ts'
import { type Access, accessesOf, isTestedHere } from './matrix.ts'
import { skipsRedis } from './redis-server.ts'
import { dealer, dealt, startReplicas, storeOfItsOwn } from './replicas.ts'
import { useServers } from './start.ts'
import { as } from './targets.ts'

type OpenMock = (
  options?: PlantMockOptions,
) => Promise<{ readonly mock: PlantMock; readonly close: () => Promise<unknown> }>

export type MockAccess = { readonly name: Access; readonly open: OpenMock }

const controlKey = 'key-of-the-tests'

const inProcess: OpenMock = async (options) => ({
  mock: createPlantMock(options),
  close: async () => undefined,
})

const server: OpenMock = async (options) => {
  const { url, close } = await startPlantMock(options)
  return { mock: connectPlantMock(url), close }
}

const serverWithKey: OpenMock = async (options) => {
  const { url, close } = await startPlantMock({ ...options, controlKey })
  return { mock: connectPlantMock(url, { key: controlKey }), close }
}

const middleware: OpenMock = async (options) => {
  const { url, close } = await listen(express().use('/api', plantMiddleware(createPlantMock(options))))
  return { mock: connectPlantMock(new URL(`${url}/api/`)), close }
}

const replicas =
  (count: number, isRemote: boolean): OpenMock =>
  async (options) => {
    const started = await startReplicas(count, await storeOfItsOwn(), options)
    const mocks = started.map(({ url, mock }) => (isRemote ? connectPlantMock(url) : mock))
    return { mock: dealt(mocks, dealer()), close: () => Promise.all(started.map(({ close }) => close())) }
  }

const sessionOf =
  (open: OpenMock): OpenMock =>
  async (options) => {
    const { mock, close } = await open(options)
    return { mock: mock.session('session 1'), close }
  }

const accesses: readonly MockAccess[] = [
  { name: 'in this process', open: inProcess },
  { name: 'as a server', open: server },
  { name: 'as a server with a key', open: serverWithKey },
  { name: 'as middleware', open: middleware },
  { name: 'as a session in this process', open: sessionOf(inProcess) },
  { name: 'as a session of a server', open: sessionOf(server) },
  ...(skipsRedis
    ? []
    : ([
        { name: 'as two replicas on one store', open: replicas(2, true) },
        { name: 'as three replicas in their processes', open: replicas(3, false) },
        { name: 'as a session of three replicas', open: sessionOf(replicas(3, true)) },
      ] as const)),
]

export const mocksFor = (part: keyof typeof accessesOf): readonly MockAccess[] => {
  const { on }: { readonly on: 'all' | readonly Access[] } = accessesOf[part]
  return accesses.filter(({ name }) => isTestedHere(name) && (on === 'all' || on.includes(name)))
}

export const useMock = (open: OpenMock) => {
  const { closers } = useServers()
  return async (options?: PlantMockOptions): Promise<PlantMock> => {
    const { mock, close } = await open(options)
    closers.push(close)
    return mock
  }
}

export const listPlants = async (mock: PlantMock, caller = 'alice', query = ''): Promise<unknown> =>
  (await mock.fetch(`/plants${query}`, as(caller))).json()
