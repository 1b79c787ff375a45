import { Collection } from '@msw/data'
import { defineExtension } from '@msw/data/extensions'
import { createFromSerializedRecord, persist } from '@msw/data/extensions/persist'
import { createPlantMock } from 'plant-mock'
import { mirrorPlants } from 'plant-mock/data'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const aloe = { id: 1, name: 'Aloe vera', tag: 'succulent' }
const schema = v.object({ id: v.number(), name: v.string(), tag: v.string() })

/** Creates a record with its key, as `persist` and `sync` of @msw/data do. */
const createWithKey = (collection: Collection<typeof schema>) =>
  createFromSerializedRecord(collection, { ...aloe, __metadata__: { primaryKey: 'a', relations: [] } })

// A global `window` makes the mock wait for the extension `persist` of @msw/data.
beforeAll(() => {
  vi.stubGlobal('window', Object.assign(new EventTarget(), globalThis))
})
afterAll(() => {
  vi.unstubAllGlobals()
})

it('a collection outside of a page ignores the extension persist', async () => {
  vi.stubGlobal('window', undefined)
  const mock = createPlantMock({ fixtures: [fern] })
  const later = v.objectAsync({ ...schema.entries })
  const plants = new Collection({ schema: later, extensions: [persist(), mirrorPlants(mock)] })
  expect(await mock.plants.all()).toEqual([fern])
  expect(plants.all()).toEqual([fern])
  vi.stubGlobal('window', Object.assign(new EventTarget(), globalThis))
})

describe('a collection in a page', () => {
  const persisted = defineExtension({ name: 'persisted', extend: createWithKey })

  it.each(['before', 'after'])('begins with records that an extension %s brings', async (place) => {
    const mock = createPlantMock({ fixtures: [fern] })
    const mirrored = mirrorPlants(mock)
    const extensions = place === 'before' ? [persisted, mirrored] : [mirrored, persisted]
    const plants = new Collection({ schema, extensions })
    expect(await mock.plants.all()).toEqual([aloe])
    expect(plants.all()).toEqual([aloe])
  })

  it('begins with the fixtures, although another tab sends a record', async () => {
    const mock = createPlantMock({ fixtures: [fern] })
    const plants = new Collection({ schema, extensions: [mirrorPlants(mock)] })
    await undefined
    await createWithKey(plants)
    await createWithKey(plants)
    expect(await mock.plants.all()).toEqual([fern, aloe])
    expect(plants.all()).toEqual([fern, aloe])
  })

  it('does not take back a removed record, although a new tab sends it', async () => {
    const mock = createPlantMock({ fixtures: [] })
    const plants = new Collection({ schema, extensions: [persisted, mirrorPlants(mock)] })
    await mock.plants.clear()
    await createWithKey(plants)
    expect(await mock.plants.all()).toEqual([])
    expect(plants.all()).toEqual([])
  })

  it('begins without plants, where persist has stored none', async () => {
    const storedAs = (key: string) => ({ version: 1, collectionId: Number(key.split('/').at(-1)), records: [] })
    vi.stubGlobal('localStorage', { getItem: (key: string) => JSON.stringify(storedAs(key)) })
    const mock = createPlantMock({ fixtures: [fern] })
    const emptied = new Collection({ schema, extensions: [persist(), mirrorPlants(mock)] })
    expect(await mock.plants.all()).toEqual([])
    expect(emptied.all()).toEqual([])
  })
})
