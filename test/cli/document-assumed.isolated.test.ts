import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openClientFolder } from '../support/client-folder.ts'
import { clientSuite } from '../support/client-suite.ts'
import { finish } from '../support/command-line.ts'

const folder = await openClientFolder()

it('vary and mutate begin with what an OpenAPI document says', async () => {
  const file = join(folder, 'openapi.yaml')
  await writeFile(file, "openapi: 3.1.0\npaths: {/plants: {post: {responses: {'200': {description: created}}}}}\n")
  const runSuite = clientSuite({
    a: {
      'creates a plant': async ({ create }) => {
        const { status } = await create(900)
        if (status !== 200) throw new Error(`expected 200, got ${status}`)
      },
    },
  })
  const under = (command: string, only: string) =>
    finish([command, '--assumptions', file, '--only', only, '--', 'run-the-client'], { runSuite })
  const varied = await under('vary', 'create.status')
  expect([varied.code, varied.out]).toEqual([
    1,
    expect.stringContaining('create.status=201: Created (contract 4.1) — 1 test fails'),
  ])
  const mutated = await under('mutate', 'create.refused')
  expect([mutated.code, mutated.out]).toEqual([0, expect.stringContaining('Score 100 %')])
})
