import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import schema from 'mutation-testing-report-schema/mutation-testing-report-schema.json' with { type: 'json' }
import { connectPlantMock, type PlantMock } from 'plant-mock/control'
import { beforeAll, describe, expect, it } from 'vitest'
import { garden } from '../../src/core/fixtures/garden.ts'
import { createInternalMock } from '../../src/core/mock/create-plant-mock.ts'
import { evidenceObserver } from '../../src/vary/evidence/evidence-observer.ts'
import { type MutantId, mutantIds } from '../../src/vary/evidence/mutants.ts'
import type { RunSuite } from '../../src/vary/suite/run-suite.ts'
import { openClientFolder } from '../support/client-folder.ts'
import {
  type ClientContext,
  type ClientFiles,
  clientScript,
  clientSuite,
  contextOf,
  skipped,
} from '../support/client-suite.ts'
import { type Finished, finish as finishCommand } from '../support/command-line.ts'
import { baseUrl } from '../support/conformance.ts'
import { parseMutationReport, withStatus } from '../support/mutation-report.ts'

const folder = await openClientFolder()

const finish = (args: readonly string[], runSuite: RunSuite) =>
  finishCommand(['mutate', ...args, '--', 'run-the-client'], { runSuite })
const report = async (args: readonly string[], runSuite: RunSuite) =>
  parseMutationReport(await finish(['--reporter', 'json', ...args], runSuite))
const only = (...ids: MutantId[]) => ids.flatMap((id) => ['--only', id])

const needs = (condition: unknown, message = 'unexpected'): void => {
  if (!condition) throw new Error(message)
}

const createsHoya = async ({ create }: ClientContext) => {
  const created = (await (await create(900)).json()) as { readonly name: string }
  needs(created.name === 'Hoya')
}
const looksAtNothing = async ({ list }: ClientContext) => {
  await list('?limit=2')
}
const client: ClientFiles = {
  'create.test.mjs': { 'creates a plant': createsHoya },
  'list.test.mjs': { 'lists plants': looksAtNothing },
}
const selected = only('create.noName', 'create.noTag', 'list.noName', 'list.missing')

describe('plant-mock mutate', () => {
  it('prints the score, each survivor with its exchange, and the command to run next', async () => {
    const { code, out } = await finish(selected, clientSuite(client))
    expect(code).toBe(1)
    expect(out).toMatchInlineSnapshot(`
      "Score 33 %, below the threshold of 100 %: 1 of 3 counted mutants killed.
      4 mutants: 1 killed, 2 survived, 1 not exercised.
      6 runs, 12 exchanges.

      Survived
        create.noTag: a create whose response has no tag (contract 2.1, 4.1) — exercised by 1 test in /client/create.test.mjs
          POST /plants {"id":900,"name":"Hoya","tag":"climber"}
              201 application/json
            - {"name":"Hoya","tag":"climber"}
            + {"name":"Hoya"}
          Repeat  npx plant-mock mutate --only create.noTag -- run-the-client
        list.noName: an element of a list without name (contract 2.2, 4.2) — exercised by 1 test in /client/list.test.mjs
          GET /plants?limit=2
                {"name":"Monstera deliciosa","tag":"tropical"}
            -   {"name":"Ficus lyrata","tag":"indoor tree"}
            +   {"tag":"indoor tree"}
              ]
          Repeat  npx plant-mock mutate --only list.noName -- run-the-client

      Not exercised
        list.missing: no response would change

      Killed
        create.noName

      Next: make a test fail under create.noTag, then run npx plant-mock mutate --only create.noTag -- run-the-client
      "
    `)
  })

  it('names no test as a killer that a runner left out after a failure', async () => {
    const creates = { create: async ({ create }: ClientContext) => void (await create(901)) }
    const files = { a: { 'creates a plant': createsHoya }, b: creates }
    const found = await report(only('create.noName'), clientSuite(files, { stopsAtFailure: true }))
    const [killed] = found.files['contract.md']?.mutants ?? []
    expect(killed?.killedBy).toEqual(found.testFiles?.['/client/a']?.tests.map(({ id }) => id))
  })

  const ofCreate = only(
    'create.noName',
    'create.noTag',
    'create.otherName',
    'create.empty',
    'create.text',
    'create.cut',
  )
  const afterReset = (test: (context: ClientContext) => unknown) => async (context: ClientContext) => {
    await connectPlantMock(context.url).reset()
    await test(context)
  }

  it('takes a run for each mutant that tests of one server meet, and repeats four failures', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `test ${index}`)
    const tests = Object.fromEntries(names.map((name) => [name, afterReset(createsHoya)]))
    const { out } = await finish(ofCreate, clientSuite({ a: tests }))
    expect(out).toMatch(/^Score 83 %, below the threshold of 100 %: 5 of 6 /)
    // The 12 runs are 6 mutants, 4 repeats, and 2 runs without a mutant.
    expect(out).toContain('\n12 runs, ')
  })

  it.each([
    ['some', (plants: PlantMock['plants']) => plants.find({ name: 'Hoya' })],
    ['all', (plants: PlantMock['plants']) => plants.all()],
  ] as const)(
    'calls survived what only a look at %s plants of the mock would show, if no test fails',
    async (_, look) => {
      const looksAtThePlants = async ({ url, create }: ClientContext) => {
        await create(902)
        await look(connectPlantMock(url).plants)
      }
      const found = await report(only('create.elsewhere'), clientSuite({ a: { 'creates a plant': looksAtThePlants } }))
      expect(withStatus(found, 'Survived')).toEqual(['create.elsewhere'])
    },
  )

  it('says that the next command is vary where no mutant survives', async () => {
    const { code, out } = await finish(only('create.noName'), clientSuite(client))
    expect([code, out]).toEqual([0, expect.stringMatching(/^Score 100 %/)])
    expect(out).toContain('Next: npx plant-mock vary -- run-the-client\n')
  })

  it.each([
    ['33', 0],
    ['34', 1],
  ] as const)('with --threshold %s and a score of 33 exits with %i', async (threshold, code) => {
    expect((await finish(['--threshold', threshold, ...selected], clientSuite(client))).code).toBe(code)
  })

  it('judges a command whose tests are not known as a whole', async () => {
    const found = await report(only('create.noName', 'create.noTag'), clientScript(createsHoya))
    expect([withStatus(found, 'Killed'), withStatus(found, 'Survived')]).toEqual([['create.noName'], ['create.noTag']])
  })

  it('shows a word that is the token of the caller where a plant has it', async () => {
    const names: ClientFiles = {
      a: {
        creates: async ({ send }) => {
          const headers = { authorization: 'Bearer ox', 'content-type': 'application/json' }
          await send('/plants', { method: 'POST', headers, body: '{"id":951,"name":"Foxglove","tag":"box"}' })
        },
      },
    }
    const { out } = await finish(only('create.noTag'), clientSuite(names))
    expect(out).toContain('      - {"name":"Foxglove","tag":"box"}\n')
  })

  it('does not count a flaky test, and names it', async () => {
    let calls = 0
    const flaky = async ({ list }: ClientContext) => {
      await list()
      needs(++calls > 1)
    }
    const { out } = await finish(only('list.noName'), clientSuite({ a: { sometimes: flaky, always: looksAtNothing } }))
    expect(out).toContain('Score 0 %')
    expect(out).toContain('Flaky: failed and passed under the same mutant\n  /client/a  sometimes\n')
  })

  it('shows in the score, and by exit code 2, which mutants are not judged because their test skips itself', async () => {
    const skips = async ({ list }: ClientContext) => {
      await list()
      throw skipped
    }
    let runs = 0
    const lists = (context: ClientContext) => (runs++ === 0 ? looksAtNothing(context) : skips(context))
    const files: ClientFiles = { a: { create: createsHoya }, b: { lists } }
    const { code, out } = await finish(only('create.noName', 'list.noName'), clientSuite(files))
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(/^Score 100 % \(1 of 2 judged\), at least the threshold of 100 %: 1 of 1 counted mutant/),
    ])
    expect(out).toContain(
      '\nNot judged\n  list.noName: a test that exercises the change did not run, or a test did not end\n',
    )
  })

  it('runs as many at the same time as --jobs says, with the same result', async () => {
    const killedWith = async (jobs: string) =>
      withStatus(await report(['--jobs', jobs, ...selected], clientSuite(client)), 'Killed')
    expect(await killedWith('2')).toEqual(await killedWith('1'))
  })
})

describe('a mutant that a tolerant client cannot show', () => {
  const tolerable = only('create.noName', 'create.extraField', 'create.mediaType')

  it('is listed apart, and does not count', async () => {
    const { code, out } = await finish(tolerable, clientSuite(client))
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Score 100 %, at least the threshold of 100 %: 1 of 1 counted mutant killed\./),
    ])
    expect(out).toContain(
      '\nNot counted\n  create.extraField, create.mediaType: a client that reads only name and tag cannot',
    )
  })

  it('is ignored in the JSON, with the reason', async () => {
    const found = await report(tolerable, clientSuite(client))
    expect(withStatus(found, 'Ignored')).toEqual(['create.extraField', 'create.mediaType'])
    expect(found.files['contract.md']?.mutants[0]?.statusReason).toMatch(/^Not counted: a client .*\nPOST \/plants /)
  })

  it('counts as killed if a test fails', async () => {
    const strict: ClientFiles = {
      a: {
        exact: async ({ create }) => needs((await (await create(900)).text()) === '{"name":"Hoya","tag":"climber"}'),
      },
    }
    const found = await report(only('create.extraField'), clientSuite(strict))
    expect(withStatus(found, 'Killed')).toEqual(['create.extraField'])
  })

  it('met alone leaves nothing to fail', async () => {
    const { code, out } = await finish(only('create.extraField'), clientSuite(client))
    expect([code, out]).toEqual([0, expect.stringMatching(/^No test exercises a counted mutant\.\n/)])
  })
})

describe('the response of a create that no test reads', () => {
  const status = async ({ create }: ClientContext) => needs((await create(900)).ok)
  const ofCreate = mutantIds.filter((id) => id.startsWith('create.'))

  it('is one finding, and counts as not covered', async () => {
    const { code, out } = await finish(only('create.fails', ...ofCreate), clientSuite({ a: { status } }))
    expect(out).toMatch(
      /^Not covered\n {2}No test reads the response of a create: 8 mutants \(contract 2\.1, 4\.1\)\n {4}create\.withId, /m,
    )
    expect([code, out]).toEqual([0, expect.stringMatching(/^Score 100 %.*\n\d+ mutants: .*, 8 not covered, /)])
    const found = await report(only(...ofCreate), clientSuite({ a: { status } }))
    expect(withStatus(found, 'NoCoverage')).toEqual(expect.arrayContaining(['create.noName', 'create.empty']))
  })

  it('is no such finding if a test notices one change of it, or if not all changes were tried', async () => {
    const read = await finish(only(...ofCreate), clientSuite({ a: { status, creates: createsHoya } }))
    const few = await finish(only('create.noName', 'create.noTag'), clientSuite({ a: { status } }))
    expect([read.out, few.out].filter((out) => out.includes('Not covered'))).toEqual([])
  })
})

describe('plant-mock mutate --accept', () => {
  it('accepts survivors with their reasons in every report, and exits with 0', async () => {
    const file = join(folder, 'accepted.txt')
    await writeFile(file, '# ours\ncreate.noTag # the page shows <no> tags\nlist.noName\n')
    const args = ['--accept', file, ...selected]
    const { code, out } = await finish(args, clientSuite(client))
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Score 100 %, at least the threshold of 100 %: 1 of 1 counted mutant/),
    ])
    expect(out).toMatch(/\nAccepted\n {2}create\.noTag: the page shows <no> tags \(.*\)\n {2}list\.noName \(.*\)\n/)
    const found = await report(args, clientSuite(client))
    expect(withStatus(found, 'Ignored')).toEqual(['create.noTag', 'list.noName'])
  })

  it('fails for other survivors, and names accepted ones that are gone', async () => {
    const file = join(folder, 'gone.txt')
    await writeFile(file, 'create.noName\ncreate.noTag\nlist.noTag\n')
    const { code, out } = await finish(['--accept', file, ...selected], clientSuite(client))
    expect(code).toBe(1)
    expect(out).toMatch(/\nSurvived\n {2}list\.noName: /)
    expect(out).toContain('\nAccepted, but no longer found: create.noName. --update removes it from')
  })

  it('writes with --update what survives, keeps comments, and exits with 0', async () => {
    const file = join(folder, 'updated.txt')
    await writeFile(file, '# ours\ncreate.noName # gone\ncreate.noTag # kept\n')
    const args = ['--accept', file, '--update', ...selected]
    const { code, out, error } = await finish(args, clientSuite(client))
    expect([code, await readFile(file, 'utf8')]).toEqual([0, '# ours\ncreate.noTag # kept\nlist.noName\n'])
    expect(error).toContain(`Wrote ${file}: 1 added, 1 removed.`)
    expect(out).toContain(`mutate --accept ${file} --only list.noName -- run-the-client\n`)
  })

  it('refuses an unknown mutant with file and line before a run', async () => {
    const file = join(folder, 'unknown.txt')
    await writeFile(file, '\nlist.noNmae\n')
    const { code, error } = await finish(['--accept', file], async () => {
      throw new Error('ran')
    })
    expect([code, error]).toEqual([2, expect.stringContaining(`${file}:2: `)])
    expect(error).toContain('Did you mean "list.noName"?')
  })
})

describe('plant-mock mutate exits with 2', () => {
  it('when no response would change under a mutant', async () => {
    const { code, out } = await finish(only('list.noName'), clientSuite({ a: { creates: createsHoya } }))
    expect([code, out]).toEqual([2, expect.stringMatching(/^No test exercises a mutant\.\n/)])
  })

  it.each([
    [['mutate'], /The test command is missing\. Put it after --/],
    [
      ['mutate', '--only', 'list.noNmae', '--', 'true'],
      /Unknown mutant "list\.noNmae"\. Did you mean "list\.noName"\?/,
    ],
    [['mutate', '--threshold', '101', '--', 'true'], /--threshold must be a number from 0 to 100/],
  ])('for %j', async (args, message) => {
    const { code, out, error } = await finishCommand(args)
    expect([code, out, error]).toEqual([2, '', expect.stringMatching(message)])
  })
})

describe('the report in JSON', () => {
  const hostile: ClientFiles = {
    '<img src=x>.test.mjs': {
      '</pre><script>alert(1)</script> & "quoted" \u202Egnp': createsHoya,
      '<b>lists</b>': async ({ send }) => {
        const headers = { authorization: 'Bearer a-token-that-is-secret', 'content-type': 'application/json' }
        const body = '{"id":950,"name":"<script>","tag":"a-token-that-is-secret"}'
        await send('/plants', { method: 'POST', headers, body })
        await send('/plants?note=<i>a-token-that-is-secret</i>', { headers })
      },
    },
  }

  let output: Finished
  beforeAll(async () => {
    output = await finish(['--reporter', 'json'], clientSuite(hostile))
  })

  it('is valid under the schema of Stryker', () => {
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    const isValid = ajv.validate(schema, JSON.parse(output.out))
    expect([isValid, ajv.errors]).toEqual([true, null])
  })

  it('points each mutant to a line of the contract that belongs to its section', () => {
    const file = parseMutationReport(output).files['contract.md']
    const lines = file?.source.split('\n') ?? []
    const lineOf = (id: MutantId) => lines[(file?.mutants.find((one) => one.id === id)?.location.start.line ?? 0) - 1]
    expect(lineOf('list.noName')).toMatch(/^## 2\. /)
    expect(lineOf('list.extraPlant')).toMatch(/^### 4\.2 /)
  })

  it('has the texts of tests and of exchanges, without a token and without characters that reorder text', () => {
    expect(output.out).toContain('alert(1)')
    expect(output.out).not.toMatch(/a-token-that-is-secret|\u202E/)
  })
})

type Check = (context: ClientContext) => Promise<void>

const checks: Readonly<Record<string, Check>> = {
  status: async ({ create }) => needs((await create(900)).ok),
  created: async ({ create }) => {
    const plant: unknown = await (await create(901)).json()
    needs(JSON.stringify(plant) === '{"name":"Hoya","tag":"climber"}')
  },
  type: async ({ send }) => needs((await send('/plants')).headers.get('content-type')?.startsWith('application/json')),
  names: async ({ list }) => needs((await list()).every(({ name }) => typeof name === 'string')),
  limit: async ({ list }) => needs((await list('?limit=2')).length === 2),
  stored: async ({ create, list }) => {
    await create(902)
    needs((await list('?limit=100')).some(({ name }) => name === 'Hoya'))
  },
  refused: async ({ send }) => needs((await send('/plants', { headers: {} })).status === 401),
}

const failing = async (check: Check, context: ClientContext): Promise<boolean> =>
  check(context).then(
    () => false,
    () => true,
  )

const withoutAssertion =
  (check: Check): Check =>
  async (context) => {
    await failing(check, context)
  }

const clientAsserting = (kept: readonly string[]): ClientFiles => {
  const tests = Object.entries(checks).map(
    ([name, check]) => [name, kept.includes(name) ? check : withoutAssertion(check)] as const,
  )
  return { a: Object.fromEntries(tests.slice(0, 3)), b: Object.fromEntries(tests.slice(3)) }
}

const failsAlone = async (files: ClientFiles, id: MutantId): Promise<boolean> => {
  const evidence = {
    now: Date.now,
    write() {},
    close() {},
  }
  const observer = evidenceObserver(evidence, { changes: [{ mutant: id }], areServed: true })
  const { fetch } = createInternalMock({ fixtures: garden, onNotice() {} }, { observer, fixed: [] })
  const context = contextOf(baseUrl, fetch)
  let failed = false
  for (const test of Object.values(files).flatMap((tests) => Object.values(tests)))
    failed = (await failing(async (given) => test(given), context)) || failed
  return failed
}

describe('a client that loses its assertions in steps', () => {
  const names = Object.keys(checks)
  const clients = [7, 3, 0].map((count) => clientAsserting(names.slice(0, count)))
  const reports: ReturnType<typeof parseMutationReport>[] = []
  beforeAll(async () => {
    for (const files of clients) reports.push(await report([], clientSuite(files)))
  })

  it('fails alone under each mutant that it kills, and under no survivor', async () => {
    for (const [index, files] of clients.entries()) {
      const found = reports[index] ?? expect.fail()
      const killed = withStatus(found, 'Killed')
      const survived = withStatus(found, 'Survived')
      expect(killed.length + survived.length).toBeGreaterThan(15)
      const judged = mutantIds.filter((id) => killed.includes(id) || survived.includes(id))
      const failed: string[] = []
      for (const id of judged) if (await failsAlone(files, id)) failed.push(id)
      expect(killed).toEqual(failed)
    }
  })

  it('kills fewer mutants with each step, and at last none', () => {
    const counts = reports.map((found) => withStatus(found, 'Killed').length)
    expect(counts).toEqual([...new Set(counts)].toSorted((a, b) => b - a))
    expect(counts.at(-1)).toBe(0)
  })
})
