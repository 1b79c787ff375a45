import { startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { skipsRedis, startRedis } from '../support/redis-server.ts'
import { post } from '../support/targets.ts'
import { blocks, commandsIn } from './support/guides.ts'

const commands = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => commandsIn(text))
const setUser = commands.find(({ words }) => words[0] === 'redis-cli' && words[1] === 'ACL')?.words.slice(1) ?? []
const [, , user = ''] = setUser
const password = setUser.find((word) => word.startsWith('>'))?.slice(1)

/** A few creates with a name of this length make a snapshot replace the log. */
const name = 'x'.repeat(900_000)
const creates = 11
const maxReads = 1_000

describe.skipIf(skipsRedis)('a user of the store with the rights that the guide names', () => {
  it('serves, replaces the log by a snapshot, joins, and begins afresh', async () => {
    const port = await freePort()
    const redis = await startRedis(['--save', '', '--port', String(port), '--bind', '127.0.0.1'])
    expect(await redis.command(...setUser)).toBe('+OK\r\n')
    const url = `redis://${user}:${password}@127.0.0.1:${port}/1`
    const notices: string[] = []
    const start = (reset = false) =>
      startPlantMock({
        store: sharedState({ url, name: 'garden-1', reset }),
        onNotice: (text) => notices.push(text),
      })
    const refusals = () => notices.filter((text) => /noperm|permission/i.test(text))
    /** Retries when a busy store answers too late, but not when the store refuses. */
    const patiently = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      for (let attempt = 1; ; attempt++)
        try {
          return await work()
        } catch (error) {
          if (attempt === 20 || refusals().length > 0) throw error
        }
    }
    const first = await patiently(start)
    const create = async (id: number): Promise<number> => {
      const response = await fetch(`${first.url}/plants`, post({ id, name, tag: 'fern' }))
      await response.body?.cancel()
      return response.status
    }
    for (let id = 1; id <= creates; id++) {
      let status = await create(id)
      while (status === 503 && refusals().length === 0) status = await create(id)
    }
    let base = '0'
    for (let read = 0; base === '0' && read < maxReads; read++) {
      await patiently(() => first.mock.plants.all())
      base = baseIn(await redis.command('EVAL', readBase, '0'))
    }
    expect(Number(base)).toBeGreaterThan(0)
    const second = await patiently(start)
    expect(await patiently(() => second.mock.plants.all())).toHaveLength(creates)
    const third = await patiently(() => start(true))
    expect(await patiently(() => third.mock.plants.all())).toEqual([])
    expect(refusals()).toEqual([])
    for (const { close } of [first, second, third]) await close()
    await redis.close()
  })
})

const readBase = "redis.call('SELECT', 1) return redis.call('HGET', 'plant-mock:{garden-1}:meta', 'base')"
const baseIn = (reply: string): string => reply.split('\r\n')[1] ?? '0'
