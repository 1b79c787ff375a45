import { describe, expect, it } from 'vitest'
import { skipsRedis } from '../../support/redis-server.ts'
import { startReplicas, storeOfItsOwn } from '../../support/replicas.ts'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const { closers } = useServers()

const open = async (count: number, options = {}) => {
  const started = await startReplicas(count, await storeOfItsOwn(), { onNotice: () => undefined, ...options })
  closers.push(() => Promise.all(started.map(({ close }) => close())))
  return started
}

describe.skipIf(skipsRedis)('three replicas at once', () => {
  it('create each id once, and list all plants in one order', async () => {
    const replicas = await open(3)
    const creates = runs(1_150)
    const clients = Array.from({ length: 6 }, async (_, client) => {
      const { url } = replicas[client % 3] as (typeof replicas)[number]
      let created = 0
      for (let id = 0; id < creates; id++) {
        const { status } = await fetch(`${url}/plants`, post({ id, name: `by ${client}`, tag: 't' }))
        if (status === 201) created++
        else expect(status).toBe(409)
      }
      return created
    })
    const created = await Promise.all(clients)
    expect(created.reduce((sum, count) => sum + count, 0)).toBe(creates)
    const lists = await Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/plants`, as('alice'))).text()))
    expect(new Set(lists).size).toBe(1)
    expect(JSON.parse(lists[0] ?? '')).toHaveLength(creates)
    const plants = await Promise.all(replicas.map(({ mock }) => mock.plants.all()))
    expect(plants[1]).toEqual(plants[0])
    expect(plants[2]).toEqual(plants[0])
  })

  it('meet a fault with times: 1 exactly once', async () => {
    const replicas = await open(3)
    for (let round = 0; round < 20; round++) {
      await replicas[round % 3]?.mock.fail({ status: 503, times: 1 })
      const statuses = await Promise.all(
        [...replicas, ...replicas, ...replicas].map(async ({ url }) => (await fetch(`${url}/plants`, as('a'))).status),
      )
      expect(statuses.filter((status) => status === 503)).toHaveLength(1)
    }
  })

  it('number the exchanges of one journal', async () => {
    const replicas = await open(3)
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => fetch(`${replicas[i % 3]?.url}/plants?limit=${i}`, as(`caller-${i % 5}`))),
    )
    const journals = await Promise.all(replicas.map(({ mock }) => mock.requests.all()))
    expect(journals[0]?.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1))
    expect(journals[1]).toEqual(journals[0])
    expect(journals[2]).toEqual(journals[0])
    const states = await Promise.all(replicas.map(async ({ controlUrl }) => (await fetch(`${controlUrl}state`)).json()))
    expect(states[1]).toEqual(states[0])
    expect(states[2]).toEqual(states[0])
  })

  it('change plants by a function while others change them too', async () => {
    const replicas = await open(3, { fixtures: [{ id: 1, name: '0', tag: 't' }] })
    const increments = replicas.flatMap(({ mock }) =>
      Array.from({ length: 5 }, async () => {
        let seen = ''
        await mock.plants.update(
          ({ name }) => {
            seen = name
            return true
          },
          { tag: 'seen' },
        )
        return seen
      }),
    )
    await Promise.all(increments)
    expect(await replicas[0]?.mock.plants.all()).toEqual([{ id: 1, name: '0', tag: 'seen' }])
  })
})
