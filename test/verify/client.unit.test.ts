import { describe, expect, it } from 'vitest'
import { Client, maxCreated } from '../../src/verify/ask/client.ts'
import { type ConformanceOptions, clientOptions } from '../../src/verify/ask/options.ts'
import { createRequest, listRequest } from '../../src/verify/read/test-request.ts'

const plant = { id: 7, name: 'plant-mock check oak', tag: 'tree' }

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

  it('sends no request for another caller without a token', async () => {
    const { client, sent } = clientWith()
    await expect(client.send(listRequest('', 'other'))).rejects.toThrow('the token of a second caller is missing')
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
