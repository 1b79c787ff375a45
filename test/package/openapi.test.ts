import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assumptionRegistry, defaultAssumptions } from 'plant-mock'
import { openApiDocument, problemTypes } from 'plant-mock/contract'
import { describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { execute, finish, root } from './support/cli.ts'

const folder = await openFolder()

const document = async (...assume: string[]) => {
  const { out } = await finish(['contract', ...assume.flatMap((text) => ['--assume', text])])
  return JSON.parse(out) as ReturnType<typeof openApiDocument>
}

const lint = async (file: string): Promise<unknown> => {
  const redocly = [`${root}node_modules/@redocly/cli/bin/cli.js`, 'lint', '--format', 'json', file]
  return JSON.parse((await execute(redocly, { cwd: folder, env: { REDOCLY_TELEMETRY: 'off', CI: 'true' } })).out)
}

describe('plant-mock contract', () => {
  const alternatives = assumptionRegistry.flatMap(({ id, alternatives: [first] }) =>
    first === undefined ? [] : [`${id}=${first}`],
  )

  it.each([
    ['by default', []],
    ['with every assumption at an alternative', alternatives],
  ])('passes redocly lint, %s', async (name, assume) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.json`)
    await writeFile(file, JSON.stringify(await document(...assume)))
    expect(await lint(file)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
  })

  it('names every problem type that the operations return', () => {
    const text = JSON.stringify(openApiDocument())
    const elsewhere = [
      'not-found',
      'method-not-allowed',
      'malformed-request',
      'unsupported-transfer',
      'request-timeout',
      'headers-too-large',
      'internal-error',
      'insufficient-storage',
      'store-unreachable',
      'rate-limited',
      'invalid-session',
      'simulated-failure',
      'forwarding-loop',
      'foreign-origin',
    ]
    const own = /^(?:control|upstream)-/
    for (const [type, { title }] of Object.entries(problemTypes))
      expect([type, text.includes(title)]).toEqual([type, !elsewhere.includes(type) && !own.test(type)])
    const limited = openApiDocument({ ...defaultAssumptions, 'rate.limit': 'every-tenth' })
    expect(JSON.stringify(limited)).toContain(problemTypes['rate-limited'].title)
  })
})
