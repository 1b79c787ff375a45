import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Collection } from '@msw/data'
import { setupServer } from 'msw/node'
import { createPlantMock, type PlantMock, type PlantMockOptions } from 'plant-mock'
import { collectionStore } from 'plant-mock/data'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { type StartOptions, startPlantMock } from 'plant-mock/node'
import * as v from 'valibot'

/** One way to reach a mock; every target answers alike. */
export type OpenTarget = {
  readonly mock: PlantMock
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

export type Target = {
  readonly name: string
  readonly open: (options?: PlantMockOptions) => Promise<OpenTarget>
  /** Whether requests to other paths than /plants come to the mock at all. */
  readonly seesOtherPaths: boolean
}

export const plantSchema = v.object({
  id: v.optional(v.number()),
  name: v.string(),
  tag: v.string(),
  access: v.optional(v.array(v.string())),
})

const nothing = async () => undefined

const core = async (options?: PlantMockOptions): Promise<OpenTarget> => {
  const mock = createPlantMock(options)
  return { mock, request: mock.fetch, close: nothing }
}

const collection = (options: PlantMockOptions = {}): Promise<OpenTarget> =>
  core({ store: collectionStore(new Collection({ schema: plantSchema })), ...options })

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

/** In a file of its own. */
const keeping = async (options?: PlantMockOptions): Promise<OpenTarget> => {
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

export const targets: readonly Target[] = [
  { name: 'the core', open: core, seesOtherPaths: true },
  { name: 'the core over a collection', open: collection, seesOtherPaths: true },
  { name: 'the msw handlers', open: msw, seesOtherPaths: false },
  { name: 'the server', open: server, seesOtherPaths: true },
  { name: 'the server that keeps plants', open: keeping, seesOtherPaths: true },
]

/** The parts of a create that tests vary. */
export const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer alice', 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

export const as = (caller: string): RequestInit => ({ headers: { authorization: `Bearer ${caller}` } })
