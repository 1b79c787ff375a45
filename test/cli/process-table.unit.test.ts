import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { listProcesses, parsePs, parseStat, startedBy } from '../../src/cli/process-group.ts'

describe('the list of processes', () => {
  const hasPs = spawnSync('ps').status === 0
  const platforms = process.platform === 'win32' ? [] : [process.platform, ...(hasPs ? (['darwin'] as const) : [])]

  it.each(platforms)('has this process with its parent, and not the reader of the list, on %s', (platform) => {
    expect(listProcesses(platform)).toContainEqual(expect.objectContaining({ pid: process.pid, parent: process.ppid }))
    // Each call of `ps` is a child of this process with another id.
    const children = () => listProcesses(platform).filter(({ parent }) => parent === process.pid)
    expect(children()).toEqual(children())
  })

  it.each([
    ['12 (node) S 1 12 12 0 -1', { pid: 12, parent: 1, group: 12 }],
    ['12 (a) Z (b) R 7 9 9 0 -1', { pid: 12, parent: 7, group: 9 }],
    ['12 (node) Z 1 12 12 0 -1', undefined],
    ['', undefined],
  ])('reads %j of /proc', (text, row) => {
    expect(parseStat(text)).toEqual(row)
  })

  it.each([
    ['   12 Ss+      1    12', { pid: 12, parent: 1, group: 12 }],
    ['   12 Z        1    12', undefined],
    ['', undefined],
  ])('reads %j of ps', (line, row) => {
    expect(parsePs(line)).toEqual(row)
  })
})

describe('the processes of a command in a shared process group', () => {
  const self = { pid: 10, parent: 5, group: 5 }
  const npm = { pid: 5, parent: 2, group: 5 }
  const before = new Set([2, 5, 10, 11])
  const select = (...rows: readonly { pid: number; parent: number; group: number }[]) =>
    startedBy(10, before, [{ pid: 2, parent: 1, group: 2 }, npm, self, ...rows])

  it('are its descendants', () => {
    expect(select({ pid: 20, parent: 10, group: 5 }, { pid: 21, parent: 20, group: 5 })).toEqual([20, 21])
  })

  it('are those whose parent has ended', () => {
    expect(select({ pid: 21, parent: 1, group: 5 })).toEqual([21])
  })

  it.each([
    ['a process of another group', { pid: 21, parent: 20, group: 21 }],
    ['a process that ran before the command', { pid: 11, parent: 10, group: 5 }],
    ['a sibling of plant-mock', { pid: 30, parent: 5, group: 5 }],
  ])('are not %s', (_, row) => {
    expect(select(row)).toEqual([])
  })
})
