import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { defaultAssumptions } from '../../../src/core/assumptions/registry.ts'
import { compareAccepted, loadAccepted, writeAccepted } from '../../../src/vary/report/accepted.ts'
import { planAlternatives } from '../../../src/vary/search/search-alternatives.ts'

const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
afterAll(() => rm(folder, { recursive: true }))

const [status, order, zero] = ['create.status=200', 'list.order=newest', 'list.zeroLimit=reject'] as const
const planned = planAlternatives({ base: defaultAssumptions, only: [status, order, zero] })
const broken = (...sets: readonly (readonly string[])[]) => sets.map((set) => ({ set, tests: [] }))

describe('accepted reliances', () => {
  it('are read from lines, without comments, whatever their order', async () => {
    const file = join(folder, 'accepted.txt')
    await writeFile(file, `\uFEFF# known\r\n\r\n${status}\r\n${order} with ${status}\n`)
    expect([...(await loadAccepted(file, false))]).toEqual([status, `${status} with ${order}`])
  })

  it.each([
    ['create.statsu=200\n', /broken\.txt:1: .*Did you mean "create\.status"/],
    [`${status}\nnonsense\n`, /broken\.txt:2: Invalid assumption "nonsense"/],
    ['{"create.status":200}', /broken\.txt:1: /],
  ])('are refused with file and line: %j', async (text, message) => {
    const file = join(folder, 'broken.txt')
    await writeFile(file, text)
    await expect(loadAccepted(file, true)).rejects.toThrow(message)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('may be missing only where they are written', async () => {
    const file = join(folder, 'none.txt')
    expect((await loadAccepted(file, true)).size).toBe(0)
    await expect(loadAccepted(file, false)).rejects.toThrow(/none\.txt.*--update writes it/)
  })

  it('tell new reliances from those that are gone, and keep what was not decided', async () => {
    const found = { broken: broken([status]), passed: [order], notMet: [] }
    const accepted = new Set([order, zero, 'list.maxLimit=clamp'])
    expect(compareAccepted(found, accepted, planned)).toEqual({
      accepted: [],
      notAccepted: [status],
      gone: [order],
      lines: [status, 'list.maxLimit=clamp', zero],
    })
  })

  it('are written sorted, one on a line', async () => {
    const file = join(folder, 'written.txt')
    const { lines } = compareAccepted({ broken: broken([order], [status]), passed: [], notMet: [] }, new Set(), planned)
    await writeAccepted(file, lines)
    expect(await readFile(file, 'utf8')).toBe(`${status}\n${order}\n`)
  })
})
