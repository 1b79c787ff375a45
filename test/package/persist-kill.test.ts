import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { numbers } from '../support/conformance.ts'
import { openFolder } from '../support/folder.ts'
import { runs } from '../support/runs.ts'
import { as } from '../support/targets.ts'
import { stopAll } from './support/cli.ts'
import { serveFile } from './support/persist.ts'

const folder = await openFolder()
afterEach(stopAll)

type Server = Awaited<ReturnType<typeof serveFile>>

const callers = ['alice', 'bob', 'a-token-of-forty-characters-that-is-real'] as const
type Caller = (typeof callers)[number]

/** A plant that is created repeatedly under one id, with the next version as its tag; version 0 means none. */
type Sent = {
  readonly caller: Caller
  readonly id: number
  sent: number
  confirmed: number
  removal?: 'sent' | 'confirmed'
}

const create = (url: string, agent: Agent, { caller, id, sent }: Sent): Promise<number | undefined> =>
  send(`${url}/plants`, 'POST', agent, caller, { id, name: `${id}`, tag: `${sent}` })

const update = (url: string, agent: Agent, { id, sent }: Sent): Promise<number | undefined> =>
  send(`${url}/__plant-mock/plants`, 'PATCH', agent, '', { filter: { id }, patch: { tag: `${sent}` } })

const remove = (url: string, agent: Agent, { id }: Sent): Promise<number | undefined> =>
  send(`${url}/__plant-mock/plants/remove`, 'POST', agent, '', { filter: { id } })

const send = (url: string, method: string, agent: Agent, caller: string, json: object): Promise<number | undefined> =>
  new Promise((resolve) => {
    const body = JSON.stringify(json)
    const headers = { authorization: `Bearer ${caller}`, 'content-type': 'application/json' }
    const req = request(url, { method, agent, headers }, (res) => {
      res.resume()
      res.on('error', () => resolve(undefined))
      res.on('end', () => resolve(res.statusCode))
    })
    req.on('error', () => resolve(undefined))
    req.end(body)
  })

const loadAndKill = async ({ url, child, finished }: Server, plants: Sent[], random: () => number) => {
  let responsesUntilKill = 1 + Math.floor(random() * 40)
  const countDown = (): void => {
    if (--responsesUntilKill !== 0) return
    let turns = Math.floor(random() * 4)
    const kill = () => (turns-- > 0 ? setImmediate(kill) : child.kill('SIGKILL'))
    kill()
  }
  const connection = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const created: Sent[] = []
    for (;;) {
      const known = random() < 0.1 ? created[Math.floor(random() * created.length)] : undefined
      const caller = callers[Math.floor(random() * callers.length)] ?? 'alice'
      const plant: Sent = known ?? { caller, id: plants.length, sent: 0, confirmed: 0 }
      if (known === undefined) {
        plants.push(plant)
        created.push(plant)
      }
      if (plant.removal !== undefined) continue
      const how = known === undefined ? 1 : random()
      if (how < 0.3) plant.removal = 'sent'
      else plant.sent++
      const status = await (how < 0.3 ? remove : how < 0.6 ? update : create)(url, agent, plant)
      if (status === undefined) break
      expect(status).toBe(how < 0.6 ? 200 : 201)
      if (how < 0.3) plant.removal = 'confirmed'
      else plant.confirmed = plant.sent
      countDown()
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 4 }, connection))
  await finished
}

/** A create without a response may have taken effect: the listed version then becomes the confirmed version. */
const faultsIn = async (url: string, caller: Caller, plants: readonly Sent[]): Promise<readonly string[]> => {
  const response = await fetch(`${url}/plants`, as(caller))
  const plantsListed = (await response.json()) as { name: string; tag: string }[]
  const versions = new Map<string, number[]>()
  for (const { name, tag } of plantsListed) versions.set(name, [...(versions.get(name) ?? []), Number(tag)])
  return plants.flatMap((plant) => {
    const { id, sent, confirmed, caller: owner } = plant
    const listed = versions.get(`${id}`) ?? []
    if (owner !== caller) return listed.length === 0 ? [] : [`plant ${id} is listed for another caller`]
    if (plant.removal !== undefined) {
      if (plant.removal === 'confirmed' && listed.length > 0) return [`plant ${id} is listed after its removal`]
      if (listed.length === 0) {
        plant.removal = 'confirmed'
        return []
      }
      delete plant.removal
    }
    const [version = 0] = listed
    plant.sent = version
    plant.confirmed = version
    if (listed.length > 1) return [`plant ${id} is listed ${listed.length} times`]
    return version < confirmed || version > sent
      ? [`plant ${id}: confirmed ${confirmed}, sent ${sent}, listed ${version}`]
      : []
  })
}

const kills = async (seed: number, rounds: number, args: readonly string[]) => {
  const file = join(folder, `${seed}.ndjson`)
  const random = numbers(seed)
  const plants: Sent[] = []
  const faults: string[] = []
  let underLoad = 0
  for (let round = 0; round <= rounds; round++) {
    const server = await serveFile(file, args)
    for (const caller of callers) faults.push(...(await faultsIn(server.url, caller, plants)))
    if (round === rounds) break
    await loadAndKill(server, plants, random)
    if (plants.some(({ sent, confirmed }) => sent > confirmed)) underLoad++
  }
  return { faults, underLoad, confirmed: plants.filter(({ confirmed }) => confirmed > 0).length }
}

it('keeps every confirmed plant exactly once, however often it is killed under load', async () => {
  const rounds = runs(100)
  const results = await Promise.all([
    kills(1, rounds, ['--assume', 'create.duplicateId=replace']),
    kills(2, rounds, ['--assume', 'create.duplicateId=replace']),
  ])
  for (const { faults, underLoad, confirmed } of results) {
    expect(faults).toEqual([])
    expect(underLoad).toBeGreaterThan(rounds / 2)
    expect(confirmed).toBeGreaterThan(5 * rounds)
  }
})
