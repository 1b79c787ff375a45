import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { mockOf } from '../../../src/core/mock/create-plant-mock.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import { Plants } from '../../../src/core/model/plants.ts'
import { openPersistedPlants } from '../../../src/server/persist/open.ts'
import type { FileCalls } from '../../../src/server/persist/plant-file.ts'
import { StorageError } from '../../../src/util/errors.ts'
import { openFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'
import { as, post } from '../../support/targets.ts'

const folder = await openFolder()
let files = 0
const newFile = () => join(folder, `${files++}.ndjson`)

type Fault = { readonly calls: readonly (keyof FileCalls)[]; readonly code: string; readonly bytes: number }

const failingCalls = (): { calls: FileCalls; fault: Fault | undefined } => {
  const broken = {
    calls: { ...fs },
    fault: undefined as Fault | undefined,
  }
  const failure = (code: string) => Object.assign(new Error(`${code}: it failed`), { code })
  const calls = ['closeSync', 'fchmodSync', 'openSync', 'renameSync', 'rmSync', 'statSync', 'truncateSync'] as const
  for (const name of calls) {
    const real = fs[name] as (...args: unknown[]) => unknown
    broken.calls[name] = ((...args: unknown[]) => {
      const result = name === 'closeSync' ? real(...args) : undefined
      if (broken.fault?.calls.includes(name)) throw failure(broken.fault.code)
      return name === 'closeSync' ? result : real(...args)
    }) as never
  }
  let acceptedBytes = 0
  broken.calls.writeSync = ((to: number, bytes: Buffer, at: number) => {
    const { fault } = broken
    if (!fault?.calls.includes('writeSync')) return fs.writeSync(to, bytes, at)
    if (acceptedBytes === 0) acceptedBytes = fault.bytes
    const count = Math.min(acceptedBytes, bytes.length - at - 1)
    if (count <= 0 || at > 0) {
      acceptedBytes = 0
      throw failure(fault.code)
    }
    return fs.writeSync(to, bytes, at, count)
  }) as FileCalls['writeSync']
  return broken
}

const callers = ['alice', 'bob', 'a-token-of-forty-characters-that-is-real'] as const
const caller = fc.constantFrom(...callers)
const id = fc.integer({ min: 0, max: 4 })
const text = fc.string({ unit: 'binary', maxLength: 8 })
const fixture: fc.Arbitrary<FixturePlant> = fc.record(
  { id, name: text, tag: text, access: fc.array(caller, { maxLength: 3 }) },
  { requiredKeys: ['name'] },
)
const some = fc.array(fixture, { maxLength: 3 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      caller,
      plant: fc.record({ id, name: text, tag: text }),
      onDuplicate: fc.constantFrom('conflict' as const, 'accept' as const, 'replace' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('seed' as const, 'replaceFixtures' as const), plants: some }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('update' as const), id, name: text, access: fc.array(caller) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('snapshot' as const, 'restore' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const fault: fc.Arbitrary<Fault | undefined> = fc.option(
  fc.record({
    calls: fc.subarray<keyof FileCalls>(
      ['closeSync', 'openSync', 'renameSync', 'rmSync', 'statSync', 'truncateSync', 'writeSync'],
      { minLength: 1, maxLength: 3 },
    ),
    code: fc.constantFrom('ENOSPC', 'EIO', 'EACCES'),
    bytes: fc.nat(40),
  }),
  { nil: undefined, freq: 2 },
)

const inFile = (file: string): unknown[] =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)

const tailIn = (file: string) => fs.readFileSync(file, 'utf8').split('\n').at(-1) ?? ''

const openMock = async (file: string, fixtures: readonly FixturePlant[], calls?: FileCalls) => {
  const { plants, keyOf, write, close } = await openPersistedPlants({ file, onNotice: () => undefined }, calls)
  const isFilled = plants !== undefined && plants.length > 0
  const instances = createMockInstances(
    { fixtures, assume: { 'create.required': 'name' }, onNotice: () => undefined },
    { keyOf, write, ...(isFilled && { plants }) },
  )
  if (!isFilled) write(Plants.none, instances.root.memory.state.plants)
  return { mock: mockOf(instances), close }
}
type OpenedMock = Awaited<ReturnType<typeof openMock>>

const lists = ({ mock }: OpenedMock): Promise<unknown> =>
  Promise.all(callers.map(async (caller) => (await mock.fetch('/plants', as(caller))).json()))

const perform = async (step: Step, { mock }: OpenedMock, kept: { restore: () => Promise<void> }): Promise<void> => {
  if (step.do === 'snapshot') kept.restore = await mock.snapshot()
  else if (step.do === 'restore') await kept.restore()
  else if ('plants' in step) await mock[step.do](step.plants)
  else if (step.do === 'remove') await mock.plants.remove({ id: step.id })
  else if (step.do === 'update') await mock.plants.update({ id: step.id }, { name: step.name, access: step.access })
  else if (step.do === 'create') {
    await mock.assume({ 'create.duplicateId': step.onDuplicate })
    const response = await mock.fetch('/plants', post(step.plant, { authorization: `Bearer ${step.caller}` }))
    const problem = response.status === 507 ? 'insufficient-storage' : 'internal-error'
    if (response.status >= 500) throw new StorageError(await response.text(), problem)
  }
}

describe('plants that are kept in a file', () => {
  it('are those of the mock after any steps and any failing calls, and those of the next mock', async () => {
    const property = fc.asyncProperty(
      some,
      fc.array(fc.tuple(step, fault), { maxLength: 20 }),
      async (fixtures, steps) => {
        const file = newFile()
        const broken = failingCalls()
        const opened = await openMock(file, fixtures, broken.calls)
        const { mock } = opened
        const kept = { restore: () => mock.reset() }
        let tail = ''
        for (const [step, fault] of steps) {
          const before = await mock.plants.all()
          broken.fault = fault
          try {
            await perform(step, opened, kept)
          } catch (error) {
            expect(error).toBeInstanceOf(StorageError)
            expect((error as StorageError).problem).toBe(
              fault?.code === 'ENOSPC' ? 'insufficient-storage' : 'internal-error',
            )
            expect(await mock.plants.all()).toEqual(before)
          }
          broken.fault = undefined
          expect(inFile(file)).toEqual(await mock.plants.all())
          if (!fault?.calls.includes('truncateSync')) expect(['', tail]).toContain(tailIn(file))
          tail = tailIn(file)
        }
        const seen = await lists(opened)
        const isEmpty = (await mock.plants.all()).length === 0
        opened.close()
        const next = await openMock(file, [])
        if (!isEmpty) expect(await lists(next)).toEqual(seen)
        next.close()
      },
    )
    await fc.assert(property, { numRuns: runs(600) })
  })
})
