import { assumptionRegistry, createPlantMock } from 'plant-mock'
import { it, vi } from 'vitest'
import { allValuesOf, defaultAssumptions } from '../../../src/core/assumptions/registry.ts'
import { areSameForms } from '../../../src/verify/read/failure-form.ts'
import { bases } from '../../../src/verify/read/seen.ts'
import { readTraffic } from '../../../src/verify/sources/har.ts'
import { readRecording } from '../../../src/verify/sources/recording.ts'
import { createRecorder, useService } from './recorded-client.ts'

const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
it('try', { timeout: 600000 }, async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let right = 0,
    wrong = 0,
    open = 0,
    other = 0
  const missed: Record<string, number> = {}
  for (let seed = Number(process.env.FROM ?? 1); seed <= Number(process.env.SEEDS ?? 10); seed++) {
    const random = randomOf(seed)
    const assume: Record<string, any> = {}
    for (const row of assumptionRegistry)
      if (random() < 0.4) assume[row.id] = allValuesOf(row)[Math.floor(random() * allValuesOf(row).length)]
    const tokens = ['secret-token-one-0123456789', 'secret-token-two-0123456789']
    const mock = createPlantMock({
      assume,
      fixtures: seed % 3 ? 'garden' : [],
      tokens: assume['auth.tokens'] === 'listed' ? tokens : undefined,
    } as never)
    const recorder = createRecorder(
      'http://mock.example/v1',
      async (r) => {
        vi.setSystemTime(Date.now() + Math.floor(random() * 40))
        return mock.fetch(new Request(r.url.replace('/v1', ''), r))
      },
    )
    await useService(recorder, { count: Number(process.env.COUNT ?? 150), random, tokens })
    const traffic = readTraffic(recorder.har(), 'traffic.har')
    const t = process.cpuUsage().user / 1000
    const reading = readRecording(traffic, 'traffic.har')
    const ms = Math.round(process.cpuUsage().user / 1000 - t)
    const truth = { ...defaultAssumptions, ...assume } as Record<string, unknown>
    const lines: string[] = []
    const resolve = (id: string, v: unknown, at: (id: string) => unknown): unknown =>
      v === 'same' && bases[id as never] ? at(bases[id as never]) : v
    const valueAt = (id: string): unknown => {
      const e = reading.entries.get(id as never)
      return e && 'value' in e ? e.value : 'unseen'
    }
    const count = (v: unknown) =>
      v === 'clamp' || v === 'reject' ? 100 : Number(/\d+$/.exec(String(v))?.[0] ?? Infinity)
    for (const [id, e] of reading.entries) {
      if ('unseen' in e) {
        open++
        missed[id] = (missed[id] ?? 0) + 1
        if (process.env.OPEN?.includes(id)) lines.push(`OPEN ${id} truth=${truth[id]} ${e.unseen}`)
        continue
      }
      if ('other' in e) {
        other++
        lines.push(`OTHER ${id} truth=${truth[id]} ${JSON.stringify(e)}`)
        continue
      }
      const [f, t] = [resolve(id, e.value, valueAt), resolve(id, truth[id], (i) => truth[i])]
      if (
        f === t ||
        areSameForms(String(f), String(t)) ||
        (e.upTo && !String(t).startsWith('reject') && count(t) >= e.upTo) ||
        (id === 'rate.limit' && e.value === 'none' && count(t) > 75)
      )
        right++
      else {
        wrong++
        lines.push(`WRONG ${id} truth=${truth[id]} ${JSON.stringify(e)}`)
      }
    }
    if (process.env.DUMP)
      for (const e of traffic.exchanges.filter((x) => process.env.DUMP!.split(',').includes(String(x.place))))
        console.log(
          e.place,
          e.method,
          e.url,
          e.requestHeaders.authorization,
          e.requestBody,
          e.status,
          e.body?.slice(0, 1500),
        )
    console.log(
      seed,
      ms,
      'ms',
      JSON.stringify(reading.alike),
      JSON.stringify(assume),
      '\n' + lines.join('\n'),
      reading.notes.length ? JSON.stringify(reading.notes.slice(0, 3)) : '',
    )
  }
  console.log({ right, wrong, open, other }, missed)
})
