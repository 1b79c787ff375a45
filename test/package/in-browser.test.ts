import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './support/cli.ts'

const errorOf = async (type: 'module' | 'commonjs', code: string): Promise<string> => {
  const args = ['--conditions=browser', `--input-type=${type}`, '--eval', code]
  const outcome = promisify(execFile)(process.execPath, args, { cwd: root })
  return outcome.then(
    () => '',
    ({ stderr }: { readonly stderr: string }) => stderr,
  )
}

const nodeOnly = Object.entries(packageJson.exports).flatMap(([entryPoint, target]) =>
  typeof target === 'object' && 'browser' in target ? [entryPoint.slice(2)] : [],
)

describe('an entry point that needs Node.js says so in a page', () => {
  it.each(nodeOnly)('plant-mock/%s, whichever names are imported', async (name) => {
    const { default: _, ...exported } = (await import(`${root}dist/${name}.js`).catch(() => ({}))) as object & {
      default?: unknown
    }
    const names = Object.keys(exported)
    const error = await errorOf('module', `import { ${names.join(', ')} } from 'plant-mock/${name}'`)
    expect(error).toContain(`Error: plant-mock/${name} runs in Node.js, not in a page. Use `)
  })

  it('plant-mock/node, when it is required', async () => {
    expect(await errorOf('commonjs', "require('plant-mock/node')")).toContain('use the environment jest-fixed-jsdom.')
  })

  it('while the others load', async () => {
    expect(await errorOf('module', "import 'plant-mock'; import 'plant-mock/msw'; import 'plant-mock/control'")).toBe(
      '',
    )
  })
})
