import nodeHttp from 'node:http'
import { HttpResponse, http } from 'msw'
import { bearer, violates } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { expect } from 'vitest'

const get = async (q = '') => (await fetch('https://api.example.com/plants' + q, { headers: bearer('alice') })).json()
test.concurrent('lies a', async ({ server }) => {
  server.use(http.get('*/plants', () => HttpResponse.json([{ id: 1, name: 'a', tag: 'b' }])))
  await get('?limit=2')
})
test.concurrent('honest', async ({ server, plants }) => {
  server.use(http.get('*/plants', () => HttpResponse.json([{ name: 'a', tag: 'b' }]), { once: true }))
  await get()
  await get()
  expect(await plants.requests.count()).toBe(2)
  expect((await plants.requests.all()).map((r) => r.source)).toEqual(['handlers', 'assumption'])
})
test.concurrent('marked', async ({ server }) => {
  server.use(http.get('*/plants', () => violates('2', HttpResponse.json([{ id: 1, name: 'a', tag: 'b' }]))))
  await get()
})
test('node:http', async ({ server }) => {
  server.use(http.post('*/plants', () => HttpResponse.json({ name: 'other', tag: 'b' })))
  await new Promise<void>((res) => {
    nodeHttp
      .request(
        'http://x.test/plants',
        { method: 'POST', headers: { ...bearer('alice'), 'content-type': 'application/json' } },
        (r) => {
          r.resume()
          r.on('end', () => res())
        },
      )
      .end('{"id":1,"name":"a","tag":"b"}')
  })
})
test('axios-like failing and lying', async ({ server }) => {
  server.use(http.get('*/plants', () => HttpResponse.json({})))
  expect(await get()).toEqual([])
})
test('never ends', async ({ server }) => {
  server.use(
    http.get(
      '*/plants',
      () =>
        new HttpResponse(
          new ReadableStream({
            start(c) {
              c.enqueue(new TextEncoder().encode('['))
            },
          }),
        ),
    ),
  )
  const r = await fetch('https://api.example.com/plants', { headers: bearer('alice') })
  expect(r.status).toBe(200)
})
