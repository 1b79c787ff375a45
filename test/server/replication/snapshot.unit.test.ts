import { describe, expect, it } from 'vitest'
import { secretSet } from '../../../src/core/http/redact.ts'
import { createMachine, type LogCommand } from '../../../src/server/replication/machine.ts'
import { callerKeys } from '../../../src/server/replication/settings.ts'
import { decodeCopy, encodeCopy } from '../../../src/server/replication/snapshot.ts'

const copy = () =>
  createMachine({
    options: { fixtures: [{ name: 'Of the start', tag: 't' }], assume: { 'create.idRange': 'int64' } },
    tokens: secretSet(),
    keyOf: callerKeys().keyOf,
    epoch: '1',
    observe: () => undefined,
  })

const run = (name: string, argument?: unknown, session?: string) =>
  ({ type: 'run', name, argument, ...(session !== undefined && { session }) }) as LogCommand

const copyAfter = (...commands: readonly LogCommand[]) => {
  const made = copy()
  for (const [time, command] of commands.entries()) made.execute(command, time)
  return made
}

describe('a snapshot of a copy', () => {
  it('has plants once, which snapshots, sessions and the state of the new copy share', () => {
    const seeded = run('seed', { plants: [{ id: 2n ** 62n + 1n, name: 'Seeded', tag: 't' }] })
    const written = copyAfter(seeded, run('takeSnapshot'), run('takeSnapshot', 'named'), run('assumptions', {}, 'one'))
    const text = encodeCopy(written)
    expect([text.split('Seeded').length, text.split('Of the start').length]).toEqual([2, 2])
    const read = copy()
    decodeCopy(text, read)
    expect(encodeCopy(read)).toBe(text)
    const { state, base, snapshots } = read.instances.root.memory
    expect([...state.plants].map(({ id }) => id)).toEqual([undefined, 2n ** 62n + 1n])
    expect([...snapshots.byName.values()].map(({ plants }) => plants === state.plants)).toEqual([true, true])
    expect([base, read.instances.session('one').memory.base]).toEqual([read.initialPlants, read.initialPlants])
  })

  it('has no plants of the start, and the fixtures that later sessions begin with', async () => {
    expect(encodeCopy(copyAfter(run('takeSnapshot')))).not.toContain('Of the start')
    const read = copy()
    decodeCopy(encodeCopy(copyAfter(run('replaceFixtures', { plants: [{ name: 'Loaded', tag: 't' }] }))), read)
    expect((await read.instances.session('later').plants.all()).map(({ name }) => name)).toEqual(['Loaded'])
  })
})
