import type { PlantMock, PlantMockOptions } from 'plant-mock'
import { type StartedPlantMock, startPlantMock } from 'plant-mock/node'
import type { SharedStateOptions } from 'plant-mock/redis'
import { closedWithFile } from './left-open.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

let server: Promise<RedisServer> | undefined
let count = 0

const sharedServer = (): Promise<RedisServer> => {
  if (server === undefined) {
    server = startRedis()
    closedWithFile.push(async () => {
      const started = await server
      server = undefined
      await started?.close()
    })
  }
  return server
}

export const storeOfItsOwn = async (): Promise<SharedStateOptions> => ({
  url: (await sharedServer()).url,
  name: `test-${process.pid}-${++count}`,
})

export const startReplicas = async (
  replicas: number,
  store: SharedStateOptions,
  options: PlantMockOptions = {},
): Promise<readonly StartedPlantMock[]> => {
  const { sharedState } = await import('plant-mock/redis')
  return Promise.all(Array.from({ length: replicas }, () => startPlantMock({ ...options, store: sharedState(store) })))
}

export const dealt = (mocks: readonly PlantMock[], next: () => number): PlantMock => dealtObject(mocks, next)

const dealtObject = <T extends object>(objects: readonly T[], next: () => number): T =>
  new Proxy(objects[0] as T, {
    get(first, name) {
      const value = Reflect.get(first, name)
      const others = () => objects.map((object) => Reflect.get(object, name))
      if (name === 'session')
        return (id: string) =>
          dealtObject(
            objects.map((object) => (object as unknown as PlantMock).session(id)),
            next,
          )
      if (typeof value === 'function')
        return (...args: readonly unknown[]) => {
          const index = next() % objects.length
          return (others()[index] as (...args: readonly unknown[]) => unknown).apply(objects[index], [...args])
        }
      return typeof value === 'object' && value !== null ? dealtObject(others() as object[], next) : value
    },
  })

export const dealer = (seed = 1): (() => number) => {
  let state = seed
  return () => {
    state = (state * 48_271) % 0x7fff_ffff
    return state
  }
}
