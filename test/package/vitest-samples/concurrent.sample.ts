import { HttpResponse, http } from 'msw'
import { bearer } from 'plant-mock'
import { type PlantMockFixtures, test } from 'plant-mock/vitest'
import { describe, type ExpectStatic } from 'vitest'

const url = 'https://api.example.com/plants'
const headers = { ...bearer('one token for all'.replaceAll(' ', '-')), 'Content-Type': 'application/json' }
const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
const numbers = Array.from({ length: 50 }, (_, number) => number)

type Context = PlantMockFixtures & { expect: ExpectStatic }

const work = async (number: number, { plants, server, expect }: Context) => {
  const plant = { id: 1, name: `Plant ${number}`, tag: 'one' }
  server.use(http.get('https://number.example', () => HttpResponse.json(number)))
  await pause()
  const created = await fetch(url, { method: 'POST', headers, body: JSON.stringify(plant) })
  expect(created.status).toBe(201)
  await pause()
  expect(await (await fetch(url, { headers })).json()).toEqual([{ name: plant.name, tag: plant.tag }])
  expect(await (await fetch('https://number.example')).json()).toBe(number)
  expect(await plants.requests.count()).toBe(2)
}

test.concurrent.for(numbers)('concurrent test %i', work)

describe.concurrent('a concurrent describe', () => {
  test.for(numbers)('%i', work)
})

describe.concurrent('concurrent retries', () => {
  test.for(numbers.slice(0, 10))('%i', { retry: 1 }, async (number, { plants, plantMock, server, expect, task }) => {
    await work(number, { plants, plantMock, server, expect })
    if (task.result?.retryCount !== 1) throw new Error('not yet')
  })
})
