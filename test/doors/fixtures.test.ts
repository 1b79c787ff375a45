import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock, type FixturePlant, PlantMockError } from 'plant-mock'
import { fixtureFileSchema } from 'plant-mock/contract'
import { aPlant, garden, generatePlants, plantFactory } from 'plant-mock/fixtures'
import { loadFixtures, shippedFixtures } from 'plant-mock/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import crowdedFile from '../../fixtures/crowded.json' with { type: 'json' }
import schemaFile from '../../fixtures/schema.json' with { type: 'json' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const fern = '{"id":7,"name":"Nephrolepis exaltata","tag":"fern"}'

describe('the shipped fixtures', () => {
  it('are four', async () => {
    expect((await shippedFixtures()).sort()).toEqual(['crowded', 'edge-cases', 'empty', 'garden'])
  })

  it.each([
    ['garden', 24],
    ['empty', 0],
    ['crowded', 250],
    ['edge-cases', 57],
  ])('%s loads %i plants', async (name, count) => {
    expect(await loadFixtures(name)).toHaveLength(count)
  })

  it.each(['garden', 'crowded', 'edge-cases'])('%s gives each plant an id of its own', async (name) => {
    const ids = (await loadFixtures(name)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain(undefined)
  })

  it('edge-cases has what breaks pages', async () => {
    const names = (await loadFixtures('edge-cases')).map(({ name }) => name)
    for (const pattern of [
      /\p{Emoji_Presentation}/u,
      /[\u0590-\u06FF]/,
      /<script>/,
      /^$/,
      /.{900}/,
      /^__proto__$/,
    ])
      expect(names.some((name) => pattern.test(name))).toBe(true)
    expect(names.some((name) => name.includes('\0'))).toBe(true)
    expect(names.length).toBeGreaterThan(new Set(names).size)
  })

  it('edge-cases comes through a list unchanged', async () => {
    const plants = await loadFixtures('edge-cases')
    const mock = createPlantMock({ fixtures: plants })
    const listed = await (await mock.fetch('/plants', { headers: { authorization: 'Bearer alice' } })).json()
    expect(listed).toEqual((await mock.plants.visibleTo('alice')).map(({ name, tag }) => ({ name, tag })))
  })

  it('garden is there without a file system too', async () => {
    expect(garden).toEqual(await loadFixtures('garden'))
  })

  it('crowded is what the generator makes of the seed 250, so a seed keeps its plants', () => {
    expect(generatePlants(250, { seed: 250 })).toEqual(crowdedFile.plants)
  })

  it('come with a JSON Schema that says what the loader checks', () => {
    expect(schemaFile).toEqual(fixtureFileSchema())
  })
})

describe('a fixture file', () => {
  it('may be JSON', async () => {
    expect(await loadFixtures(await file('a.json', `{"plants":[${fern}]}`))).toEqual([JSON.parse(fern)])
  })

  it.each(['\n', '\r\n', '\n\n \n'])('may be one plant a line, ended by %j', async (end) => {
    const path = await file('a.ndjson', `${fern}${end}{"name":"x","tag":"","access":[]}${end}`)
    expect(await loadFixtures(path)).toEqual([JSON.parse(fern), { name: 'x', tag: '', access: [] }])
  })

  it('may begin with a byte order mark, and need not end with a line end', async () => {
    expect(await loadFixtures(await file('b.ndjson', `\uFEFF${fern}\n${fern}`))).toHaveLength(2)
    expect(await loadFixtures(await file('b.json', `\uFEFF{"plants":[]}`))).toHaveLength(0)
  })

  it('may be large and have characters that fall on the seam between two chunks', async () => {
    const plants = Array.from({ length: 20_000 }, (_, id) => ({
      id,
      name: `🌵é${'x'.repeat(id % 7)}`,
      tag: '🪴',
    }))
    const path = await file('large.ndjson', plants.map((plant) => JSON.stringify(plant)).join('\n'))
    expect(await loadFixtures(path)).toEqual(plants)
  })

  it('adds to those before it, in the order given', async () => {
    const path = await file('c.json', `{"plants":[${fern}]}`)
    expect((await loadFixtures(path, 'garden', path)).map(({ id }) => id)).toEqual([
      7,
      ...garden.map(({ id }) => id),
      7,
    ])
  })

  it.each([
    ['x.json', '{"plants":[', /x\.json is not JSON/],
    ['x.json', '{\n"plants":[\n{"id":1,}\n]}', /x\.json is not JSON: .*line 3/],
    ['x.json', '[]', /x\.json is an array\. Wrap it: \{"plants": \[\.\.\.\]\}/],
    ['x.json', 'null', /x\.json has no array "plants"/],
    ['x.json', '{}', /x\.json has no array "plants"/],
    ['x.json', '{"plants":{}}', /x\.json has no array "plants"/],
    ['x.json', '{"plants":[],"plant":[]}', /x\.json has the key "plant"/],
    ['x.json', `{"plants":[${fern},{"id":1,"name":"x"}]}`, /x\.json at #\/plants\/1\/tag is required/],
    [
      'x.json',
      '{"plants":[{"id":"1","name":"x","tag":"y"}]}',
      /#\/plants\/0\/id must be an integer, not a string/,
    ],
    ['x.json', '{"plants":[{"id":1e400,"name":"x","tag":"y"}]}', /#\/plants\/0\/id must be an integer/],
    [
      'x.json',
      '{"plants":[{"id":9007199254740993,"name":"x","tag":"y"}]}',
      /#\/plants\/0\/id must lie between/,
    ],
    ['x.json', '{"plants":[{"name":null,"tag":"y"}]}', /#\/plants\/0\/name must be a string, not null/],
    [
      'x.json',
      '{"plants":[{"name":"x","tag":"y","colour":"green"}]}',
      /#\/plants\/0\/colour is not a field of a plant/,
    ],
    [
      'x.json',
      '{"plants":[{"name":"x","tag":"y","access":"alice"}]}',
      /#\/plants\/0\/access must be an array, not a string/,
    ],
    [
      'x.json',
      '{"plants":[{"name":"x","tag":"y","access":["a b"]}]}',
      /#\/plants\/0\/access\/0 must be a bearer token/,
    ],
    ['x.json', '{"plants":["fern"]}', /#\/plants\/0 must be an object, not a string/],
    ['x.json', '{"plants":[[]]}', /#\/plants\/0 must be an object, not an array/],
    ['x.ndjson', `${fern}\n{"id":2`, /x\.ndjson, line 2, is not JSON/],
    ['x.ndjson', `${fern}\n\n{"id":2,"tag":"y"}`, /x\.ndjson, line 3 at #\/name is required/],
    ['x.ndjson', '[]', /x\.ndjson, line 1 must be an object, not an array/],
  ])('is refused whole when it is bad: %s %s', async (name, content, message) => {
    const path = await file(name, content)
    await expect(loadFixtures('garden', path)).rejects.toThrow(PlantMockError)
    await expect(loadFixtures('garden', path)).rejects.toThrow(message)
  })

  it('is refused when it is not UTF-8', async () => {
    const path = await file(
      'latin.json',
      new Uint8Array([...Buffer.from('{"plants":[{"name":"'), 0xe9, ...Buffer.from('","tag":""}]}')]),
    )
    await expect(loadFixtures(path)).rejects.toThrow(/latin\.json is not UTF-8/)
  })

  it.each([
    ['gardne', /no fixture "gardne"\. Did you mean "garden"\? Shipped are/],
    ['nothing-like-it', /no fixture "nothing-like-it"\. Shipped are/],
    ['./nowhere.json', /nowhere\.json does not exist/],
    ['./plants.yaml', /plants\.yaml must end in \.json or \.ndjson/],
  ])('is refused when there is none: %s', async (name, message) => {
    await expect(loadFixtures(name)).rejects.toThrow(message)
  })

  it('is refused when it is a folder', async () => {
    await expect(loadFixtures(`${folder}/../${folder.split('/').at(-1)}.json`)).rejects.toThrow(
      /does not exist/,
    )
  })

  const plant: fc.Arbitrary<FixturePlant> = fc.record(
    {
      id: fc.maxSafeInteger(),
      name: fc.string({ unit: 'binary' }),
      tag: fc.string({ unit: 'grapheme' }),
      access: fc.array(fc.stringMatching(/^[\w.~+/-]+=*$/)),
    },
    { requiredKeys: ['name', 'tag'] },
  )

  it('gives back any plants that were written to it, in both formats', async () => {
    const property = fc.asyncProperty(fc.array(plant), async (plants) => {
      const lines = plants.map((plant) => JSON.stringify(plant))
      const written = JSON.parse(`[${lines}]`) as FixturePlant[]
      expect(await loadFixtures(await file('any.json', `{"plants":[${lines}]}`))).toEqual(written)
      expect(await loadFixtures(await file('any.ndjson', lines.join('\n')))).toEqual(written)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  it('is either loaded or refused with a reason, whatever it holds', async () => {
    const content = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"plants":[${json}]}`),
      fc.uint8Array(),
    )
    const property = fc.asyncProperty(
      content,
      fc.constantFrom('any.json', 'any.ndjson'),
      async (content, name) => {
        const path = await file(name, content)
        const result = await loadFixtures(path).catch((error: unknown) => error)
        if (Array.isArray(result))
          for (const plant of result) expect(typeof (plant as FixturePlant).name).toBe('string')
        else {
          expect(result).toBeInstanceOf(PlantMockError)
          expect((result as PlantMockError).message).toContain(name)
        }
      },
    )
    await fc.assert(property, { numRuns: 300 })
  })
})

describe('fixtures given in code', () => {
  it.each([
    [{ name: 'x' }, /index 1 .*tag is required/],
    [{ name: 'x', tag: 'y', id: 0.5 }, /index 1 .*id must be an integer, not 0.5/],
    ['fern', /index 1 .*must be an object/],
  ])('are refused when they are no plants, all of them: %j', async (bad, message) => {
    const plants = [JSON.parse(fern), bad] as FixturePlant[]
    expect(() => createPlantMock({ fixtures: plants })).toThrow(message)
    const mock = createPlantMock()
    await expect(mock.seed(plants)).rejects.toThrow(message)
    await expect(mock.load(plants)).rejects.toThrow(message)
    expect(await mock.plants.all()).toEqual([])
  })

  it('are not held by reference: changing them later changes nothing', async () => {
    const plant = { id: 1, name: 'x', tag: 'y', access: ['alice'] }
    const mock = createPlantMock({ fixtures: [plant] })
    plant.name = 'changed'
    plant.access.push('bob')
    await mock.reset()
    expect(await mock.plants.all()).toEqual([{ id: 1, name: 'x', tag: 'y', access: ['alice'] }])
  })
})

describe('the plant factory', () => {
  it('makes the same plants from the same seed, and others from another', () => {
    expect(generatePlants(50, { seed: 3 })).toEqual(generatePlants(50, { seed: 3 }))
    expect(generatePlants(50, { seed: 3 })).not.toEqual(generatePlants(50, { seed: 4 }))
  })

  it('gives each plant an id of its own, from the first on', () => {
    expect(generatePlants(1000, { firstId: 5 }).map(({ id }) => id)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i + 5),
    )
  })

  it('takes what it is given as it is', () => {
    const plant = plantFactory({ seed: 7 })
    expect(plant({ tag: '', access: ['alice'] })).toMatchObject({ id: 1, tag: '', access: ['alice'] })
    expect(plant({ id: -4 }).id).toBe(-4)
  })

  it('gives every plant to one of the tokens, when there are some', () => {
    const owners = generatePlants(200, { tokens: ['alice', 'bob'] }).map(({ access }) => access?.join())
    expect(new Set(owners)).toEqual(new Set(['alice', 'bob']))
  })

  it('makes plants that the mock takes as creates and as fixtures', async () => {
    const mock = createPlantMock({ fixtures: generatePlants(20) })
    const response = await mock.fetch('/plants', {
      method: 'POST',
      headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
      body: JSON.stringify(plantFactory({ firstId: 21 })()),
    })
    expect(response.status).toBe(201)
  })

  it('aPlant never gives an id twice', () => {
    const ids = Array.from({ length: 100 }, () => aPlant().id)
    expect(new Set(ids).size).toBe(100)
  })
})
