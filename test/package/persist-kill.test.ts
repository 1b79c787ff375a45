import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { numbers } from '../support/conformance.ts'
import { as } from '../support/targets.ts'
import { bin, keepingIn, killAll, type Server, startBy } from './support/persist.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterEach(killAll)
afterAll(() => rm(folder, { recursive: true }))

const callers = ['alice', 'bob', 'a-token-of-forty-characters-that-is-real'] as const
type Caller = (typeof callers)[number]

/** A plant as one connection sends it: again and again under the same id, each time as another version. */
type Sent = {
  readonly caller: Caller
  readonly id: number
  /** The last version that was sent, and the last that was answered; 0 for none. */
  sent: number
  answered: number
}

const create = (url: string, agent: Agent, { caller, id, sent }: Sent): Promise<number | undefined> =>
  new Promise((resolve) => {
    const body = JSON.stringify({ id, name: `${id}`, tag: `${sent}` })
    const headers = { authorization: `Bearer ${caller}`, 'content-type': 'application/json' }
    const req = request(`${url}/plants`, { method: 'POST', agent, headers }, (res) => {
      res.resume()
      res.on('error', () => resolve(undefined))
      res.on('end', () => resolve(res.statusCode))
    })
    req.on('error', () => resolve(undefined))
    req.end(body)
  })

/** Sends plants over several connections at once until the server is killed, at a moment that chance has chosen. */
const loadAndKill = async ({ url, child, ended }: Server, plants: Sent[], random: () => number) => {
  let left = 1 + Math.floor(random() * 40)
  const countDown = (): void => {
    if (--left !== 0) return
    let turns = Math.floor(random() * 4)
    const kill = () => (turns-- > 0 ? setImmediate(kill) : child.kill('SIGKILL'))
    kill()
  }
  const connection = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const mine: Sent[] = []
    for (;;) {
      const known = random() < 0.1 ? mine[Math.floor(random() * mine.length)] : undefined
      const caller = callers[Math.floor(random() * callers.length)] ?? 'alice'
      const plant: Sent = known ?? { caller, id: plants.length, sent: 0, answered: 0 }
      if (known === undefined) {
        plants.push(plant)
        mine.push(plant)
      }
      plant.sent++
      const status = await create(url, agent, plant)
      if (status === undefined) break
      expect(status).toBe(201)
      plant.answered = plant.sent
      countDown()
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 4 }, connection))
  await ended
}

/**
 * What is wrong with what a caller is shown, in words. What was sent and not answered may be there or not; once it has
 * been looked for, it stays as it was found.
 */
const faultsIn = async (url: string, caller: Caller, plants: readonly Sent[]): Promise<readonly string[]> => {
  const response = await fetch(`${url}/plants`, as(caller))
  const shown = (await response.json()) as { name: string; tag: string }[]
  const versions = new Map<string, number[]>()
  for (const { name, tag } of shown) versions.set(name, [...(versions.get(name) ?? []), Number(tag)])
  return plants.flatMap((plant) => {
    const { id, sent, answered, caller: owner } = plant
    const there = versions.get(`${id}`) ?? []
    if (owner !== caller) return there.length === 0 ? [] : [`plant ${id} is shown to another caller`]
    const [version = 0] = there
    plant.sent = version
    plant.answered = version
    if (there.length > 1) return [`plant ${id} is there ${there.length} times`]
    return version < answered || version > sent
      ? [`plant ${id}: answered ${answered}, sent ${sent}, there ${version}`]
      : []
  })
}

/** The rounds of one file, which grows: each starts where the one before was killed. */
const kills = async (seed: number, rounds: number, args: readonly string[]) => {
  const file = join(folder, `${seed}.ndjson`)
  const random = numbers(seed)
  const plants: Sent[] = []
  const faults: string[] = []
  let underLoad = 0
  for (let round = 0; round <= rounds; round++) {
    const server = await startBy(process.execPath, [bin, ...keepingIn(file), ...args])
    for (const caller of callers) faults.push(...(await faultsIn(server.url, caller, plants)))
    if (round === rounds) break
    await loadAndKill(server, plants, random)
    if (plants.some(({ sent, answered }) => sent > answered)) underLoad++
  }
  return { faults, underLoad, answered: plants.filter(({ answered }) => answered > 0).length }
}

it('after 200 kills at random moments under load, every answered plant is there, and none twice', {
  timeout: 180_000,
}, async () => {
  // Where plants replace one another, the file is written anew each time.
  const results = await Promise.all([
    kills(1, 100, ['--assume', 'create.duplicateId=replace']),
    kills(2, 100, ['--assume', 'create.duplicateId=replace']),
  ])
  for (const { faults, underLoad, answered } of results) {
    expect(faults).toEqual([])
    expect(underLoad).toBeGreaterThan(50)
    expect(answered).toBeGreaterThan(500)
  }
})
