import { HttpResponse, http } from 'msw'
import { bearer, violates } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { describe, expect, vi } from 'vitest'
import { carriedForms, carriedLies, requests } from '../../support/override-corpus.ts'

const url = 'https://api.example.com'
const ask = async () => {
  for (const [path, init] of requests) await (await fetch(`${url}${path}`, init)).text()
}
const list = async () => (await fetch(`${url}/plants`, { headers: bearer('alice') })).json()
const withId = () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])

describe('fails', () => {
  for (const { mistake, responder } of carriedLies)
    test.concurrent(mistake, async ({ server }) => {
      const respond = responder()
      server.use(http.all('*/plants', ({ request }) => respond(request)))
      await ask()
    })

  test('beside another failure', async ({ server }) => {
    server.use(http.get('*/plants', withId))
    expect(await list()).toEqual([])
  })
})

describe('passes', () => {
  for (const { name, responder } of carriedForms)
    test.concurrent(name, async ({ server }) => {
      const respond = responder()
      server.use(http.all('*/plants', ({ request }) => respond(request)))
      await ask()
    })

  test('what is marked', async ({ server }) => {
    server.use(http.get('*/plants', () => violates('2.2', withId())))
    await list()
  })

  describe('with the option off', () => {
    test.override({ plantMock: { overrides: 'off' } })
    test('anything', async ({ server, plants }) => {
      server.use(http.get('*/plants', withId))
      await list()
      expect(await plants.requests.count()).toBe(0)
    })
  })

  describe('with the option report', () => {
    test.override({ plantMock: { overrides: 'report' } })
    test('with a warning', async ({ server, plants }) => {
      const warn = vi.spyOn(console, 'warn').mockReturnValue()
      server.use(http.get('*/plants', withId))
      await list()
      await expect.poll(() => warn.mock.calls.join()).toContain('plant-mock: An override violates the contract: GET')
      expect(await plants.violations()).toMatchObject([{ in: 'response' }])
      warn.mockRestore()
    })
  })
})

describe('strict', () => {
  test.override({ plantMock: { strict: true } })
  test('passes', async ({ plants }) => {
    await plants.fail({ status: 503, times: 1 })
    await list()
  })
  test('a pending fault', async ({ plants }) => {
    await plants.fail({ status: 503 })
  })
  test('a violation', async () => {
    await fetch(`${url}/plants?page=2`, { headers: bearer('alice') })
  })
})

describe('a stack', () => {
  test('begins in the test', async ({ plants }) => {
    await plants.plants.update({}, { tag: 5 as never })
  })
})
