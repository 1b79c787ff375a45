import { HttpResponse, http } from 'msw'
import { bearer } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { describe, expect } from 'vitest'

const url = 'https://api.example.com/plants'
const headers = { ...bearer('a-token-that-nobody-may-see'), 'Content-Type': 'application/json' }
const fetchQuietly = (address: string, init?: RequestInit) => fetch(address, init).catch(() => undefined)

test('fails by an assertion', async ({ plants }) => {
  await plants.fail({ operation: 'createPlant', status: 503, times: 2 })
  await fetch(`${url}?limit=2`, { headers })
  await fetch(url, {
    method: 'POST',
    headers,
    body: '{"id":1,"name":"Aloe\\u001b[31m vera","tag":"succulent"}',
  })
  expect([1]).toEqual([2])
})

test('fails without a request', () => {
  expect(1).toBe(2)
})

test('fails for a request without a handler', async () => {
  await fetch(url, { headers })
  await fetchQuietly('https://api.example.com/plantz', { headers })
  await fetchQuietly('https://api.example.com/plantz', { headers })
  await fetchQuietly('https://count.example/?access_token=a-token-that-nobody-may-see', { method: 'POST' })
})

test('fails for both', async () => {
  await fetchQuietly('https://api.example.com/plantz')
  expect(1).toBe(2)
})

test('fails for an override', async ({ server }) => {
  server.use(http.get('*/plants', () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])))
  await fetch(url, { headers })
})

test('fails with a stack', async ({ plants }) => {
  await plants.plants.update({}, { tag: 5 as never })
})

describe('when strict', () => {
  test.override({ plantMock: { strict: true } })
  test('succeeds', async ({ plants }) => {
    await plants.fail({ status: 503, times: 1 })
    await fetch(url, { headers })
  })
  test('fails for a pending fault', async ({ plants }) => {
    await plants.fail({ status: 503 })
  })
  test('fails for a violation', async () => {
    await fetch(`${url}?page=2`, { headers })
  })
})

test('succeeds on a retry', { retry: 1 }, async ({ task }) => {
  if (task.result?.retryCount === 0) await fetchQuietly('https://api.example.com/plantz')
})

test.fails('is meant to fail', async () => {
  await fetchQuietly('https://api.example.com/plantz')
})

describe('with bypass', () => {
  test.override({ plantMock: { unhandled: 'bypass' } })
  test('reaches the network', async () => {
    await expect(fetch('http://127.0.0.1:2/orders')).rejects.toThrow('fetch failed')
  })
})

describe('with warn', () => {
  test.override({ plantMock: { unhandled: 'warn' } })
  test('reaches the network, too', async () => {
    await expect(fetch('http://127.0.0.1:2/orders')).rejects.toThrow('fetch failed')
  })
})
