import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { assumptionRegistry } from 'plant-mock'
import { checkConformance, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import {
  check,
  failuresOf,
  fixtures,
  idsOf,
  objectionsIn,
  ruleOf,
  tokens,
  variedAssumptions,
} from '../support/conformance.ts'
import { skipsUnless } from '../support/skips.ts'
import { type Mistake, mistakes, serveWrong, wrongService } from '../support/wrong-service.ts'

describe('a service without a mistake', () => {
  it('keeps every rule', async () => {
    const report = await check(wrongService())
    expect(report.conforms).toBe(true)
    expect(idsOf(report, 'passed')).toEqual(report.rules.map(({ id }) => id))
  })

  it('keeps every rule over HTTP, given only its address and two tokens', async () => {
    const service = await serveWrong(wrongService())
    const report = await checkConformance({
      baseUrl: service.url,
      tokens,
      wait,
      skip: ['body.maxSize', 'list.maxLimit'],
    })
    expect(idsOf(report, 'passed')).toEqual(report.rules.map(({ id }) => id))
    expect(report.requests).toBe(service.requests)
    await service.close()
  })
})

const wait = async () => undefined
const assumptionIds = assumptionRegistry.map(({ id }) => id)

describe('a service with a mistake', () => {
  it('exists for every rule', async () => {
    const { rules } = await check(wrongService())
    const broken = new Set<string>(mistakes.flatMap(([, rules]) => rules))
    expect(rules.filter(({ id }) => !broken.has(id))).toEqual([])
  })

  const reportOf = (mistake: Mistake) => check(wrongService([mistake]), { skip: assumptionIds })

  it.each(mistakes)('"%s" breaks %j and no other rule, with a reason and a curl line', async (mistake, broken) => {
    const report = await reportOf(mistake)
    expect([...objectionsIn(report)].sort()).toEqual([...broken].sort())
    expect(report.conforms).toBe(broken.every((id) => id.startsWith('robust.')))
    for (const { id, reason, curl } of failuresOf(report)) {
      expect(reason).toMatch(/\w/)
      expect(curl).toMatch(/^(?:[^|]*\| )?curl -i .*'http:\/\/plants\.example\/plants[^']*'$/s)
      const isAnonymous = id.startsWith('auth.') || /missing token|bad token/.test(mistake)
      expect(curl).toMatch(isAnonymous ? /^(?!.*token-of)/ : /"Authorization: Bearer \$(?:OTHER_)?TOKEN"/)
    }
    for (const format of ['text', 'json', 'junit'] as const)
      expect(renderConformance(report, format)).not.toContain(tokens.caller)
  })

  it('that repeats tokens is quoted with the variable of each token', async () => {
    const report = await reportOf('lists are forbidden')
    expect(ruleOf(report, 'list.succeeds')).toMatchObject({
      reason: expect.stringContaining('"$TOKEN may not'),
    })
    expect(ruleOf(report, 'list.access')).toMatchObject({
      reason: expect.stringContaining('"$OTHER_TOKEN may not'),
    })
  })

  const skipsCurl = skipsUnless(spawnSync('curl', ['--version']).status === 0, 'curl')
  it.skipIf(skipsCurl)('is reproduced by running the curl line in a shell', async () => {
    const service = await serveWrong(wrongService(['limit is one too many', 'a create returns the id']))
    const options = { wait, rules: ['list.limit', 'create.shape'], skip: assumptionIds }
    const { rules } = await checkConformance({ baseUrl: service.url, tokens, ...options })
    const run = async (id: string) => {
      const rule = rules.find((rule) => rule.id === id)
      const curl = rule?.outcome === 'failed' ? rule.curl : ''
      const env = { PATH: process.env.PATH, TOKEN: tokens.caller }
      return (await promisify(execFile)('sh', ['-c', curl], { env })).stdout
    }
    expect(await run('list.limit')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\[\{[^}]+\},\{[^}]+\}\]$/)
    // An earlier command has already created the plant.
    expect(await run('create.shape')).toMatch(/^HTTP\/1\.1 409 /)
    await service.close()
  })

  it('is detected by the length of lists whose plants show no names', async () => {
    const report = await check(wrongService(['limit is ignored', 'lists show no names']))
    expect(idsOf(report, 'failed')).toEqual(['list.elements', 'list.limit'])
  })

  it.each(['empty', 'garden'])('is detected in a store that starts with the plants of %s', async (name) => {
    const report = await check(wrongService(['nothing is stored'], fixtures[name]))
    expect(idsOf(report, 'failed')).toEqual(['create.stored'])
  })

  it('is not reported where lists may be truncated before it shows', async () => {
    const report = await check(wrongService(['nothing is stored'], fixtures.crowded))
    expect(report.rules).toContainEqual(
      expect.objectContaining({ id: 'create.stored', reason: 'the list may be truncated at 250 plants' }),
    )
  })
})

it('reports every assumption that has alternatives, and none about an operation that the service lacks', async () => {
  const { assumptions } = await check(wrongService())
  const missing = variedAssumptions.filter(({ id }) => !assumptions.some((result) => result.id === id))
  expect(missing.map(({ id }) => id)).toEqual(['delete.missingStatus'])
})
