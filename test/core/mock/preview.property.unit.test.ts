import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Assume } from '../../../src/core/assumptions/registry.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { toExchange } from '../../../src/core/mock/fetch.ts'
import type { LocalInstance } from '../../../src/core/mock/instance.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import { resolveCall } from '../../../src/core/operations/call.ts'
import { runs } from '../../support/runs.ts'
import { request } from '../../vary/evidence/requests.ts'
import { alternatives, create, fixtures, list, type Sent } from './watched.ts'

const instanceOf = (assume: Assume = {}, plants: readonly FixturePlant[] = fixtures): LocalInstance => {
  let time = 0
  return createMockInstances(
    { assume, fixtures: plants, seed: 7, prefer: false, onNotice() {} },
    { fixed: [], now: () => ++time },
  ).root
}

const send = async (instance: LocalInstance, { method, path, headers = {}, body }: Sent): Promise<string> => {
  const sent = new Request(`http://mock.example${path}`, {
    method,
    headers: Object.entries(headers).filter(([, value]) => value !== ''),
    ...(body !== undefined && { body }),
  })
  const exchange = await toExchange(sent, instance.maxBodySize, undefined)
  const { reply } = await instance.handle(resolveCall(exchange))
  return JSON.stringify([reply.status, reply.headers, reply.body])
}

const plant = (id: number) => create({ id, name: `Plant ${id}`, tag: 'x' })

describe('the preview of an assumption', () => {
  it('counts the replies that differ from a mock started with it', async () => {
    const small = request.filter(({ body = '' }) => body.length < 5_000)
    await fc.assert(
      fc.asyncProperty(
        fc.array(small, { minLength: 1, maxLength: 20 }),
        fc.constantFrom(...alternatives),
        async (requests, { id, value }) => {
          const [instance, other] = [instanceOf(), instanceOf({ [id]: value })]
          let differing = 0
          for (const one of requests) if ((await send(instance, one)) !== (await send(other, one))) differing++
          const { state } = instance.memory
          expect(instance.preview({ [id]: value })).toEqual({ differing, total: requests.length })
          expect(instance.memory.state).toBe(state)
        },
      ),
      { numRuns: runs(2_000) },
    )
  })

  it('starts again from the plants that a command has set', async () => {
    const instance = instanceOf({}, [])
    await send(instance, plant(1))
    await instance.run('clearPlants', undefined)
    await send(instance, list)
    expect(instance.preview({ 'create.status': 200 })).toEqual({ differing: 1, total: 2 })
  })

  it('counts the latest 20 requests, without large ones, since the journal was cleared', async () => {
    const instance = instanceOf({}, [])
    for (let id = 1; id <= 23; id++) await send(instance, plant(id))
    await send(instance, create({ id: 24, name: 'x'.repeat(20_000), tag: 'x' }))
    expect(instance.preview({ 'create.status': 200 })).toEqual({ differing: 20, total: 20 })
    await instance.run('clearRequests', undefined)
    expect(instance.preview({ 'create.status': 200 })).toEqual({ differing: 0, total: 0 })
  })
})
