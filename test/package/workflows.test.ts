import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from './support/cli.ts'
import { blocks, yamlFiles } from './support/guides.ts'

const text = { type: 'string', minLength: 1 }
const scalars = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }
const only = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
})

const step = only(
  {
    name: text,
    if: text,
    uses: { type: 'string', pattern: '^[\\w-]+/[\\w./-]+@[\\w.]+$' },
    with: scalars,
    run: text,
    env: scalars,
    'continue-on-error': { type: 'boolean' },
  },
  { oneOf: [{ required: ['uses'] }, { required: ['run'] }], dependentRequired: { with: ['uses'] } },
)
const permissions = { type: 'object', additionalProperties: { enum: ['read', 'write', 'none'] } }
const job = only(
  {
    name: text,
    'runs-on': text,
    needs: text,
    container: text,
    env: scalars,
    permissions,
    'timeout-minutes': { type: 'integer', minimum: 1 },
    steps: { type: 'array', items: step, minItems: 1 },
  },
  { required: ['runs-on', 'steps'] },
)
const event = { anyOf: [{ type: 'null' }, { type: 'object' }, { type: 'array' }] }
const events = { push: event, pull_request: event, schedule: event, release: event, workflow_dispatch: event }
const workflow = only(
  {
    name: text,
    on: { anyOf: [{ enum: Object.keys(events) }, only(events, { minProperties: 1 })] },
    permissions,
    concurrency: only({ group: text, 'cancel-in-progress': { type: 'boolean' } }),
    env: scalars,
    jobs: {
      type: 'object',
      patternProperties: { '^[A-Za-z_][\\w-]*$': job },
      additionalProperties: false,
      minProperties: 1,
    },
  },
  { required: ['on', 'jobs'] },
)

const isValid = new Ajv2020({ allErrors: true, strictRequired: false, allowUnionTypes: true }).compile(workflow)
const issuesIn = (yaml: string) => {
  isValid(parse(yaml, { strict: true, uniqueKeys: true }))
  return isValid.errors ?? []
}

describe('a workflow of GitHub Actions is valid', () => {
  it.each(readdirSync(`${root}.github/workflows`))('in the repository: %s', (file) => {
    expect(issuesIn(readFileSync(`${root}.github/workflows/${file}`, 'utf8'))).toEqual([])
  })

  it('in the example for CI', () => {
    expect(issuesIn(readFileSync(`${root}test/example/ci/.github/workflows/plants.yml`, 'utf8'))).toEqual([])
  })

  const others = [...yamlFiles.values()]
  const inGuides = blocks.filter(
    ({ language, text }) => language === 'yaml' && !others.includes(text) && !text.startsWith('# test/example/'),
  )
  it.each(inGuides)('in the guide $guide', ({ text }) => {
    expect(issuesIn(text)).toEqual([])
  })

  it('and these tests notice one that is not', () => {
    const [{ text = '' } = {}] = inGuides
    for (const [from, to] of [
      ['runs-on:', 'runs_on:'],
      ['- run: npm ci', '- run: npm ci\n        uses: a/b@v1'],
      ['on: push', 'on: pushed'],
      ['actions/checkout@v5', 'actions/checkout'],
      ['    steps:', '    step:'],
    ] as const) {
      expect(text).toContain(from)
      expect(issuesIn(text.replace(from, to)), to).not.toEqual([])
    }
  })

  it('and runs its command with the mock', () => {
    const commands = inGuides.flatMap(({ text }) => text.match(/plant-mock run\b.* -- npm test/g) ?? [])
    expect(commands).not.toEqual([])
  })
})
