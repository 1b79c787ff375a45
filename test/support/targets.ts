import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setupServer } from 'msw/node'
import { createPlantMock, type PlantMock, type PlantMockOptions } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { type StartOptions, startPlantMock } from 'plant-mock/node'
import { isPrograms, isTestedHere, type Transport, transportsOf } from './matrix.ts'
import { skipsRedis } from './redis-server.ts'
import { dealer, dealt, startReplicas, storeOfItsOwn } from './replicas.ts'

export type OpenTarget = {
  readonly mock: PlantMock
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

export type Target = {
  readonly name: Transport
  readonly open: (options?: PlantMockOptions) => Promise<OpenTarget>
  readonly seesOtherPaths: boolean
}

const core = async (options?: PlantMockOptions): Promise<OpenTarget> => {
  const mock = createPlantMock(options)
  return { mock, request: mock.fetch, close: async () => undefined }
}

const msw = async (options?: PlantMockOptions): Promise<OpenTarget> => {
  const mock = createPlantMock(options)
  const baseUrl = 'https://plants.example/v1'
  const server = setupServer(...plantHandlers(mock, { baseUrl }))
  server.listen(unhandled('error'))
  return {
    mock,
    request: (path, init) => fetch(`${baseUrl}${path}`, init),
    close: async () => server.close(),
  }
}

const server = async (options?: StartOptions): Promise<OpenTarget> => {
  const { url, mock, close } = await startPlantMock(options)
  return { mock, request: (path, init) => fetch(`${url}${path}`, init), close }
}

const persistentServer = async (options?: PlantMockOptions): Promise<OpenTarget> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  const target = await server({ ...options, persist: join(folder, 'plants.ndjson') })
  return {
    ...target,
    close: async () => {
      await target.close()
      await rm(folder, { recursive: true })
    },
  }
}

const replicaTarget =
  (replicas: number) =>
  async (options?: PlantMockOptions): Promise<OpenTarget> => {
    const started = await startReplicas(replicas, await storeOfItsOwn(), options)
    const next = dealer()
    const urlOf = (): string => started[next() % started.length]?.url ?? ''
    return {
      mock: dealt(
        started.map(({ mock }) => mock),
        next,
      ),
      request: (path, init) => fetch(`${urlOf()}${path}`, init),
      close: async () => {
        await Promise.all(started.map(({ close }) => close()))
      },
    }
  }

const targets: readonly Target[] = [
  { name: 'the core', open: core, seesOtherPaths: true },
  { name: 'the msw handlers', open: msw, seesOtherPaths: false },
  { name: 'the server', open: server, seesOtherPaths: true },
  { name: 'the persistent server', open: persistentServer, seesOtherPaths: true },
  ...(skipsRedis ? [] : [{ name: '2 replicas on one store' as const, open: replicaTarget(2), seesOtherPaths: true }]),
]

export const targetsFor = (behaviour: keyof typeof transportsOf): readonly Target[] => {
  const { on }: { readonly on: 'all' | readonly Transport[] } = transportsOf[behaviour]
  const chosen = targets.filter(({ name }) => on === 'all' || on.includes(name))
  // Conformance runs on the build of every transport, other behaviour only where a program is necessary.
  return isPrograms && behaviour === 'conformance' ? chosen : chosen.filter(({ name }) => isTestedHere(name))
}

export const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer alice', 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

export const as = (caller: string): RequestInit => ({ headers: { authorization: `Bearer ${caller}` } })
