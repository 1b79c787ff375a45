import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultAssumptions } from '../../../src/core/assumptions/registry.ts'
import {
  compareAccepted,
  compareAcceptedMutants,
  loadAccepted,
  writeAccepted,
} from '../../../src/vary/report/accepted.ts'
import { planAlternatives } from '../../../src/vary/search/search-alternatives.ts'
import { openFolder } from '../../support/folder.ts'

const folder = await openFolder()

const [status, order, zero] = ['create.status=200', 'list.order=newest', 'list.zeroLimit=reject'] as const
const planned = planAlternatives({ base: defaultAssumptions, only: [status, order, zero] })
const broken = (...keys: readonly string[]) => keys.map((key) => ({ key, tests: [] }))

describe('accepted reliances', () => {
  it('are read from lines, without comments', async () => {
    const file = join(folder, 'accepted.txt')
    await writeFile(file, `\uFEFF# known\r\n\r\n${status}\r\n${order}\n`)
    expect([...(await loadAccepted(file, 'reliance', false)).keys()]).toEqual([status, order])
  })

  it('may have a reason, and share a file with mutants', async () => {
    const file = join(folder, 'shared.txt')
    await writeFile(file, `${status} # we handle both\ncreate.noTag\t#no tags\nlist.noTag\n`)
    expect([...(await loadAccepted(file, 'reliance', false))]).toEqual([[status, 'we handle both']])
    expect([...(await loadAccepted(file, 'mutant', false))]).toEqual([
      ['create.noTag', 'no tags'],
      ['list.noTag', ''],
    ])
  })

  it.each([
    ['create.statsu=200\n', /broken\.txt:1: .*Did you mean "create\.status"/],
    [`${status}\nnonsense\n`, /broken\.txt:2: Invalid assumption "nonsense"/],
    ['{"create.status":200}', /broken\.txt:1: /],
    ['list.noNmae\n', /broken\.txt:1: .*Did you mean "list\.noName"/],
  ])('are refused with file and line: %j', async (text, message) => {
    const file = join(folder, 'broken.txt')
    await writeFile(file, text)
    await expect(loadAccepted(file, 'reliance', true)).rejects.toThrow(message)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('may be missing only where they are written', async () => {
    const file = join(folder, 'none.txt')
    expect((await loadAccepted(file, 'reliance', true)).size).toBe(0)
    await expect(loadAccepted(file, 'reliance', false)).rejects.toThrow(/none\.txt.* Add --update to create it/)
  })

  it('tell new reliances from those that are gone, and keep what was not decided', () => {
    const found = { broken: broken(status), passed: [order], notExercised: [] }
    const accepted = new Map([order, zero, 'list.maxLimit=clamp'].map((entry) => [entry, '']))
    expect(compareAccepted(found, accepted, planned)).toEqual({
      accepted: new Map(),
      notAccepted: [status],
      gone: [order],
    })
  })

  it('leave a mutant out that was not judged, and call one gone that is killed or not exercised', () => {
    const results = [
      { id: 'create.noTag', status: 'accepted' },
      { id: 'create.noName', status: 'survived' },
      { id: 'create.mediaType', status: 'tolerable' },
      { id: 'list.noTag', status: 'killed' },
      { id: 'list.noName', status: 'notExercised' },
      { id: 'list.twice', status: 'notJudged' },
    ] as const
    const accepted = new Map(['create.noTag', 'list.noTag', 'list.noName', 'list.twice'].map((id) => [id, '']))
    expect(compareAcceptedMutants(results, accepted)).toEqual({
      accepted: new Map([['create.noTag', '']]),
      notAccepted: ['create.noName'],
      gone: ['list.noName', 'list.noTag'],
    })
  })

  it.each(['\n', '\r\n'])('are rewritten without a change of other lines, line ends (%j) and mode', async (end) => {
    const file = join(folder, 'rewritten.txt')
    const before = ['# ours', '', `${order} # sorted by us`, `${zero} # gone`, 'list.noTag']
    await writeFile(file, before.join(end))
    await chmod(file, 0o660)
    await writeAccepted(file, { gone: [zero], notAccepted: [status] })
    const after = ['# ours', '', `${order} # sorted by us`, 'list.noTag', status]
    expect(await readFile(file, 'utf8')).toBe(after.map((line) => line + end).join(''))
    expect((await stat(file)).mode & 0o777).toBe(0o660)
  })
})
