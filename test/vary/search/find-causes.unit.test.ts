import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../src/util/random.ts'
import { findCauses, type Search } from '../../../src/vary/search/find-causes.ts'
import { type Observation, type PlannedRun, wholeCommand } from '../../../src/vary/suite/observe.ts'

/** A test of a client: the alternatives that it sees, and the sets of them that break it. */
type ClientTest = {
  readonly file?: string
  readonly sees: readonly string[]
  readonly breaks?: readonly (readonly string[])[]
  /** The share of runs in which it fails by chance. */
  readonly flaky?: number
}

const order = ['list.order=newest', 'list.order=name', 'list.order=shuffled']
const keys = ['json.keyOrder=tag-name']
const types = ['json.contentType=plain', 'json.contentType=upper']
const limits = ['list.defaultLimit=10', 'list.defaultLimit=20', 'list.defaultLimit=100']
const forms = ['error.body=json', 'error.body=text', 'error.body=html']

const list: ClientTest = { sees: [...limits, ...order, ...keys, ...types] }
const create: ClientTest = { sees: ['create.status=200', ...keys, ...types, 'create.unknownFields=reject'] }
const conflict: ClientTest = { sees: ['create.status=200', 'create.duplicateStatus=400', ...forms, ...keys, ...types] }
const anonymous: ClientTest = { sees: ['auth.status=403', 'auth.status=400', ...forms] }
const clean = { list, create, conflict, anonymous }
const breaking = (test: ClientTest, ...breaks: readonly (readonly string[])[]): ClientTest => ({ ...test, breaks })
const all = (values: readonly string[]) => values.map((value) => [value])

type Client = Readonly<Record<string, ClientTest>>
type SearchOptions = Omit<Search, 'first' | 'run'> & { readonly seed?: number; readonly areTestsKnown?: boolean }

/** Searches the causes of a client; returns them by test, the flaky tests, and the runs. */
const search = async (client: Client, { seed = 1, areTestsKnown = true, ...options }: SearchOptions = {}) => {
  const random = seededRandom(seed)
  const runs: PlannedRun[] = []
  const observe = ({ set, files }: PlannedRun, isFirst = false): Observation => {
    const tests = Object.entries(client).filter(([, { file = '' }]) => files === undefined || files.includes(file))
    const hasFailed = ({ breaks = [], flaky = 0 }: ClientTest): boolean =>
      breaks.some((cause) => cause.every((key) => set.includes(key))) || (random() < flaky && !isFirst)
    const failed = new Set(tests.flatMap(([name, test]) => (hasFailed(test) ? [name] : [])))
    if (areTestsKnown)
      return {
        set,
        files,
        failed,
        passed: new Set([...tests.map(([name]) => name).filter((name) => !failed.has(name))]),
        visible: new Map(tests.map(([name, { sees }]) => [name, new Set(sees)])),
      }
    const command = new Set([wholeCommand])
    const [none, seen] = [new Set<string>(), new Set(Object.values(client).flatMap(({ sees }) => sees))]
    const results = failed.size > 0 ? { failed: command, passed: none } : { failed: none, passed: command }
    return { set, files, ...results, visible: new Map([[wholeCommand, seen]]) }
  }
  const run = async (planned: PlannedRun) => {
    runs.push(planned)
    return observe(planned)
  }
  const { judgements } = await findCauses({ first: observe({ set: [], files: undefined }, true), run, ...options })
  const causes = [...judgements].flatMap(([test, judgement]) =>
    judgement.causes.map((cause) => `${test}: ${cause.toSorted().join(' ')}`),
  )
  const flaky = [...judgements].filter(([, { isFlaky }]) => isFlaky).map(([test]) => test)
  return { causes: causes.toSorted(), flaky, count: runs.length + 1, runs }
}

/** A first run of one test, which sees the order of lists. */
const onePassing: Observation = {
  set: [],
  files: undefined,
  failed: new Set<string>(),
  passed: new Set(['a']),
  visible: new Map([['a', new Set(order)]]),
}

describe('a search of causes', () => {
  it('ends after as many rows as one assumption has alternatives, when nothing breaks', async () => {
    expect(await search(clean)).toMatchObject({ causes: [], flaky: [], count: 4 })
  })

  it.each<[string, Client, number, readonly string[]]>([
    [
      'one alternative',
      { ...clean, create: breaking(create, ['create.status=200']) },
      9,
      ['create: create.status=200'],
    ],
    [
      'every alternative of one assumption',
      { ...clean, list: breaking(list, ...all(order)) },
      12,
      order.map((key) => `list: ${key}`).toSorted(),
    ],
    [
      'mistakes in two tests',
      { ...clean, list: breaking(list, ...all(order)), create: breaking(create, ['create.status=200']) },
      12,
      ['create: create.status=200', ...order.map((key) => `list: ${key}`).toSorted()],
    ],
    [
      'mistakes in three tests',
      {
        list: breaking(list, ...all(order)),
        create: breaking(create, ['create.status=200']),
        conflict,
        anonymous: breaking(anonymous, ...all(forms)),
      },
      24,
      [
        ...forms.map((key) => `anonymous: ${key}`),
        'create: create.status=200',
        ...order.map((key) => `list: ${key}`),
      ].toSorted(),
    ],
    [
      'three mistakes that one test has',
      {
        ...clean,
        conflict: breaking(conflict, ['create.status=200'], ['create.duplicateStatus=400'], ['error.body=text']),
      },
      24,
      ['conflict: create.duplicateStatus=400', 'conflict: create.status=200', 'conflict: error.body=text'],
    ],
    [
      'two alternatives that break a test only together',
      {
        ...clean,
        both: breaking({ sees: [...create.sees, ...list.sees] }, ['create.status=200', 'list.order=newest']),
      },
      20,
      ['both: create.status=200 list.order=newest'],
    ],
  ])('names %s', async (_, client, max, causes) => {
    const found = await search(client)
    expect(found).toMatchObject({ causes, flaky: [] })
    expect(found.count).toBeLessThanOrEqual(max)
  })

  it('names the causes where no test is known, after three failures of three', async () => {
    const found = await search({ ...clean, create: breaking(create, ['create.status=200']) }, { areTestsKnown: false })
    expect(found.causes).toEqual([': create.status=200'])
    expect(found.runs.filter(({ set }) => set.length === 1 && set[0] === 'create.status=200')).toHaveLength(3)
  })

  it('asks again about an alternative that another one may have hidden', async () => {
    const hidden = {
      sees: ['auth.status=403', 'list.order=newest'],
      breaks: [['auth.status=403'], ['list.order=newest']],
    }
    expect((await search({ hidden })).causes).toEqual(['hidden: auth.status=403', 'hidden: list.order=newest'])
  })

  it('tries an alternative without those that hide it, in as few runs', async () => {
    const sees = ['create.duplicateId=accept', 'create.duplicateId=replace', 'create.duplicateStatus=400', ...forms]
    const runs: PlannedRun[] = []
    const observe = ({ set, files }: PlannedRun): Observation => {
      runs.push({ set, files })
      const isHidden = set.some((key) => key.startsWith('create.duplicateId'))
      const shown = sees.filter((key) => !isHidden || key.startsWith('create.duplicateId'))
      return { set, files, failed: new Set(), passed: new Set(['a']), visible: new Map([['a', new Set(shown)]]) }
    }
    const first = observe({ set: [], files: undefined })
    const { judgements } = await findCauses({ first, run: async (planned) => observe(planned) })
    expect(judgements.get('a')?.cleared).toEqual(new Set(sees))
    expect(runs.length).toBeLessThan(8)
  })

  it('does not clear an alternative that was in force without any answer that shows it', async () => {
    const observe = ({ set, files }: PlannedRun): Observation => {
      const visible = new Map([['a', new Set(set.length === 0 ? order : [])]])
      return { set, files, failed: new Set(), passed: new Set(['a']), visible }
    }
    const first = observe({ set: [], files: undefined })
    const { judgements, observations } = await findCauses({ first, run: async (planned) => observe(planned) })
    expect(judgements.get('a')).toMatchObject({ cleared: new Set(), ineffective: new Set(order) })
    expect(observations.length).toBeLessThan(10)
  })

  it('suspects what a test does not see when it fails and passes with the same visible ones', async () => {
    const dependent: ClientTest = { sees: keys, breaks: [['create.status=200']] }
    const found = await search({ ...clean, dependent })
    expect(found).toMatchObject({ causes: ['dependent: create.status=200'], flaky: [] })
  })

  it('tries no alternative exactly while another is visible in the same file', async () => {
    const one = breaking({ sees: ['create.status=200'] }, ['create.status=200'])
    const two = breaking({ sees: ['list.zeroLimit=reject'] }, ['create.status=200', 'list.zeroLimit=reject'])
    const { causes } = await search({ one, two }, { fileOf: () => 'a' })
    expect(causes).toContain('one: create.status=200')
    expect(causes).not.toContain('two: list.zeroLimit=reject')
  })

  it('suspects every alternative in force when a test fails that sees none of them', async () => {
    const blind: ClientTest = { sees: [], breaks: [['create.status=200']] }
    expect((await search({ ...clean, blind })).causes).toEqual(['blind: create.status=200'])
  })

  it('has one alternative in each run on request, so that none hides another', async () => {
    const { runs, causes } = await search({ ...clean, create: breaking(create, ['create.status=200']) }, { each: true })
    expect(causes).toEqual(['create: create.status=200'])
    expect(runs.every(({ set }) => set.length <= 1)).toBe(true)
  })

  it('tries an alternative together with the one that makes it visible, once', async () => {
    const [reveals, hidden] = ['create.duplicateId=accept', 'list.order=name']
    const runs: (readonly string[])[] = []
    const observe = ({ set, files }: PlannedRun): Observation => {
      runs.push(set)
      const fails = set.includes(reveals) && set.includes(hidden)
      const [a, none] = [new Set(['a']), new Set<string>()]
      const visible = new Map([['a', new Set(set.includes(reveals) ? [reveals, hidden] : [reveals])]])
      return { set, files, failed: fails ? a : none, passed: fails ? none : a, visible }
    }
    const first = observe({ set: [], files: undefined })
    const { judgements } = await findCauses({ first, run: async (planned) => observe(planned) })
    expect(judgements.get('a')?.causes.map((cause) => cause.toSorted())).toEqual([[reveals, hidden]])
    expect(runs.length).toBeLessThan(15)
  })

  it('combines alternatives on request, whether or not an answer shows them', async () => {
    const combined = ['list.order=name', 'create.status=200', 'create.status=202']
    const blind: ClientTest = { sees: [], breaks: [['create.status=202', 'list.order=name']] }
    const { causes, runs } = await search({ list, blind }, { combined })
    expect(causes).toEqual(['blind: create.status=202 list.order=name'])
    expect(runs.some(({ set }) => set.includes('create.status=200') && set.includes('list.order=name'))).toBe(true)
  })

  it('blames nothing on a test that failed in a run before the first', async () => {
    const earlier: Observation = { ...onePassing, failed: new Set(['a']), passed: new Set() }
    const run = async ({ set, files }: PlannedRun): Promise<Observation> => ({ ...onePassing, set, files })
    const { judgements } = await findCauses({ first: onePassing, earlier: [earlier], run })
    expect(judgements.get('a')).toMatchObject({ isFlaky: true, causes: [] })
  })

  it('plans runs that can take place at the same time', async () => {
    const client = { ...clean, list: breaking(list, ...all(order)) }
    expect((await search(client, { jobs: 3 })).causes).toEqual(order.map((key) => `list: ${key}`).toSorted())
  })

  it('stops when a run was stopped', async () => {
    const { observations } = await findCauses({ first: onePassing, run: async () => undefined })
    expect(observations).toHaveLength(1)
  })
})

describe('single files', () => {
  const client: Client = {
    a: { ...list, file: 'a' },
    b: { ...breaking(create, ['create.status=200']), file: 'b' },
    c: { ...conflict, file: 'c' },
  }
  const filesOf = (tests: readonly string[]) => {
    const files = [...new Set(tests.map((test) => client[test]?.file ?? ''))]
    return files.length === 3 ? undefined : files
  }

  it('are run where only they have a question', async () => {
    const { runs, causes } = await search(client, { filesOf })
    expect(causes).toEqual(['b: create.status=200'])
    expect(runs.length).toBeLessThan(12)
    expect(runs.find(({ set }) => set.length === 0)?.files).toEqual(['b'])
    expect(runs.find(({ set }) => set.length === 1)?.files).toEqual(['b'])
  })

  it('are not run alone when they fail alone', async () => {
    const dependent: Client = {
      ...client,
      b: { ...client.b, sees: create.sees, file: 'b', breaks: [['create.status=200']] },
    }
    const runs: PlannedRun[] = []
    const observe = ({ set, files }: PlannedRun): Observation => {
      runs.push({ set, files })
      const names = Object.keys(dependent).filter((name) => files === undefined || files.includes(name))
      const failed = new Set(
        names.filter((name) => name === 'b' && (files !== undefined || set.includes('create.status=200'))),
      )
      const passed = new Set(names.filter((name) => !failed.has(name)))
      return {
        set,
        files,
        failed,
        passed,
        visible: new Map(names.map((name) => [name, new Set(dependent[name]?.sees)])),
      }
    }
    const first = observe({ set: [], files: undefined })
    const { judgements } = await findCauses({ first, run: async (planned) => observe(planned), filesOf })
    expect(judgements.get('b')?.causes).toEqual([['create.status=200']])
    expect(runs.filter(({ files }) => files !== undefined)).toHaveLength(1)
  })
})

describe('a flaky test', () => {
  it('is called flaky when it fails and passes without alternatives', async () => {
    const results = [false, true]
    const run = async ({ set, files }: PlannedRun): Promise<Observation> => {
      const hasFailed = set.length === 0 ? results.pop() : true
      const [a, none] = [new Set(['a']), new Set<string>()]
      return { set, files, failed: hasFailed ? a : none, passed: hasFailed ? none : a, visible: onePassing.visible }
    }
    const { judgements } = await findCauses({ first: onePassing, run })
    expect(judgements.get('a')).toMatchObject({ isFlaky: true, causes: [] })
  })

  it('that fails in one of ten runs blames no alternative, and hides no cause', async () => {
    const flaky = { ...list, flaky: 0.1 }
    const trials = Array.from({ length: 20 }, (_, seed) =>
      search({ ...clean, flaky, create: breaking(create, ['create.status=200']) }, { seed }),
    )
    for (const { causes } of await Promise.all(trials)) expect(causes).toEqual(['create: create.status=200'])
  })
})

describe('any client', () => {
  const universe = [...order, ...keys, ...types, ...forms, 'create.status=200', 'create.duplicateStatus=400']
  const clientTest = fc
    .subarray(universe, { minLength: 1 })
    .chain((sees) =>
      fc
        .subarray(sees, { maxLength: Math.min(3, sees.length) })
        .map((broken): ClientTest => ({ sees, breaks: broken.map((key) => [key]) })),
    )

  it('gets exactly the alternatives that break it, whatever else is in force', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(clientTest, { minLength: 1, maxLength: 5 }), fc.nat(3), async (tests, jobs) => {
        const client = Object.fromEntries(tests.map((test, index) => [`test ${index}`, test]))
        const expected = tests.flatMap(({ breaks = [] }, index) => breaks.map(([key]) => `test ${index}: ${key}`))
        const { causes, flaky, count } = await search(client, { jobs: jobs + 1 })
        expect({ causes, flaky }).toEqual({ causes: expected.toSorted(), flaky: [] })
        expect(count).toBeLessThan(60)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the number of further runs', () => {
  const further = async (...sees: readonly string[]): Promise<readonly number[]> => {
    const numbers: number[] = []
    const observation = (set: readonly string[]): Observation => ({
      set,
      files: undefined,
      failed: new Set(),
      passed: new Set(['test']),
      visible: new Map([['test', new Set(sees)]]),
    })
    await findCauses({
      first: observation([]),
      run: async ({ set }, number) => {
        numbers.push(number)
        return observation(set)
      },
    })
    return numbers
  }

  it('counts down while every test passes', async () => {
    expect(await further(...order, ...types)).toEqual([2, 1, 0])
    expect(await further(...keys)).toEqual([0])
  })
})
