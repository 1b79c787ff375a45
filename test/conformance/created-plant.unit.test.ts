import { describe, expect, it } from 'vitest'
import { Client, maxCreated } from '../../src/conformance/client.ts'
import { createdPlant, isRecognisable } from '../../src/conformance/created-plant.ts'
import { type ConformanceOptions, clientOptions } from '../../src/conformance/options.ts'
import { createPlantSource } from '../../src/conformance/plant-source.ts'
import type { TestResponse } from '../../src/conformance/send-request.ts'
import { createRequest, listRequest } from '../../src/conformance/test-request.ts'

const response = (status: number, text = '{}', type = 'application/json'): TestResponse => ({
  as: 'caller',
  curl: '',
  status,
  headers: new Headers({ 'content-type': type }),
  text,
  json: text === '{}' ? {} : undefined,
  redact: (text) => text,
})

const plant = { id: 7, name: 'plant-mock check oak', tag: 'tree' }
const made = (certain: boolean) => ({ ...plant, as: 'caller', certain })

describe('a create', () => {
  it.each<readonly [string, TestResponse | undefined, object | undefined]>([
    ['with a success', response(201), made(true)],
    ['with an empty success', response(204, ''), made(true)],
    ['with a page', response(200, '<p>', 'text/html'), made(false)],
    ['with a redirect', response(303), made(false)],
    ['with an error of the server', response(500), made(false)],
    ['without a response', undefined, made(false)],
    ['that is refused', response(400), undefined],
    ['that is refused with the last such status', response(499), undefined],
  ])('%s is recorded as what it made', (_, received, expected) => {
    expect(createdPlant(createRequest(plant), received)).toEqual(expected)
  })

  it('that is not JSON makes a plant only if it succeeds', () => {
    const request = createRequest('{"name"')
    const nothing = { id: undefined, name: undefined, tag: undefined, as: 'caller' }
    expect(createdPlant(request, response(201))).toEqual({ ...nothing, certain: true })
    expect(createdPlant(request, response(500))).toBeUndefined()
  })

  it('is no list', () => {
    expect(createdPlant(listRequest(), response(200))).toBeUndefined()
  })
})

describe('a body tells where its plant comes from', () => {
  it.each<readonly [string, boolean]>([
    ['{"name":"plant-mock check oak"}', true],
    ['{"tag":"plant-mock check tree","name":"oak"}', true],
    ['{"name":"oak","tag":"tree"}', false],
    ['{"name":7,"tag":["plant-mock check"]}', false],
    ['{"name":"a plant-mock check"}', false],
    ['["plant-mock check"]', false],
    ['null', false],
    ['{"name":', true],
  ])('%s: %s', (body, isTold) => {
    expect(isRecognisable(body)).toBe(isTold)
  })
})

describe('a client', () => {
  const clientWith = (options: Partial<ConformanceOptions> = {}) => {
    const sent: string[] = []
    const fetch = async (url: string, init: RequestInit) => {
      sent.push(`${init.method} ${url}`)
      return new Response('{"name":"oak","tag":"tree"}', { status: init.method === 'POST' ? 201 : 200 })
    }
    const client = new Client(
      clientOptions({ baseUrl: 'http://plants.example', tokens: { caller: 'alice' }, fetch, ...options }),
    )
    return { client, sent }
  }

  it.each<readonly [string, Partial<ConformanceOptions>, object, RegExp]>([
    ['that nobody could recognise', {}, { name: 'oak' }, /^it could create a plant without "plant-mock check"/],
    ['at all if it is read-only', { readOnly: true }, plant, /^it creates plants, and the check is read-only$/],
  ])('sends no create %s', async (_, options, body, reason) => {
    const { client, sent } = clientWith(options)
    await expect(client.send(createRequest(body))).rejects.toThrow(reason)
    expect(sent).toEqual([])
  })

  it('sends any create if it is intrusive', async () => {
    const { client } = clientWith({ intrusive: true })
    expect(client.mayCreate({ name: 'oak' })).toBe(true)
    expect((await client.send(createRequest({ name: 'oak' }))).status).toBe(201)
  })

  it('tells which creates it may send, and whose tokens it has', () => {
    const { client } = clientWith()
    expect([client.mayCreate(plant), client.mayCreate({ name: 'oak' })]).toEqual([true, false])
    expect([client.hasToken('caller'), client.hasToken('other')]).toEqual([true, false])
  })

  it('sends no request for another caller without a token', async () => {
    const { client, sent } = clientWith()
    await expect(client.send(listRequest('', 'other'))).rejects.toThrow('it needs the token of another caller')
    expect(sent).toEqual([])
  })

  it('sends lists, and no more creates, after the last create that is allowed', async () => {
    const { client, sent } = clientWith()
    for (let count = 0; count < maxCreated; count++) await client.send(createRequest(plant))
    await expect(client.send(createRequest(plant))).rejects.toThrow('the maximum of 125 created plants is reached')
    expect((await client.send(listRequest())).status).toBe(200)
    expect(sent).toHaveLength(maxCreated + 1)
  })
})

describe('the ids of a check in a given range', () => {
  it.each([2_000, 2_310, 2_520, 4_096, 30_030])('are different and in the range of %i numbers', (size) => {
    for (let minute = 0; minute < 8; minute++) {
      const now = () => Date.UTC(2026, 0, 1, 0, minute)
      const source = createPlantSource(() => 0.5, now, { ids: { from: 10, to: 9 + size } })
      const ids = Array.from({ length: 1_000 }, () => source.newPlant().id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.filter((id) => !Number.isInteger(id) || id < 10 || id > 9 + size)).toEqual([])
    }
  })
})
