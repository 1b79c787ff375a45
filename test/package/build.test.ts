import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './support/cli.ts'

const copy = mkdtempSync(join(tmpdir(), 'plant-mock-build-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const build = (): void => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['.config/build.js'], { cwd: copy, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
}

const program = join(copy, 'dist/bin.js')
const record = 'node_modules/.cache/plant-mock/build'

beforeAll(() => {
  // Copies only the declared inputs of the build: an undeclared input would be missing here.
  for (const name of [
    'src',
    'fixtures',
    '.config',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'dist',
    record,
  ])
    cpSync(root + name, join(copy, name), { recursive: true })
  for (const name of readdirSync(`${root}node_modules`))
    if (name !== '.cache') symlinkSync(`${root}node_modules/${name}`, join(copy, 'node_modules', name))
})

describe('the build', () => {
  it('is skipped while nothing has changed', () => {
    const before = statSync(program)
    build()
    expect(statSync(program)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  })

  it('fails with the error of the compiler, and runs again for a dist/ that is not whole', () => {
    appendFileSync(join(copy, 'src/index.ts'), 'export const = 2\n')
    const { status, stdout, stderr } = spawnSync(process.execPath, ['.config/build.js'], {
      cwd: copy,
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stdout + stderr).toContain('src/index.ts')
    cpSync(`${root}src/index.ts`, join(copy, 'src/index.ts'))
    build()
    expect(existsSync(program)).toBe(true)
  })
})
