import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './support/cli.ts'

/** A copy of the repository, so that a build does not disturb other tests. */
const copy = mkdtempSync(join(tmpdir(), 'plant-mock-build-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const build = (): void => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['.config/build.js'], { cwd: copy, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
}

beforeAll(() => {
  // The inputs of the build alone: an input that the build does not know would be missing here.
  for (const name of ['src', 'fixtures', '.config', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(root + name, join(copy, name), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(`${root}node_modules`))
    if (name !== '.cache') symlinkSync(`${root}node_modules/${name}`, join(copy, 'node_modules', name))
  build()
})

const program = join(copy, 'dist/bin.js')
const wasBuilt = (): boolean => {
  const { ino, mtimeMs } = statSync(program)
  build()
  const now = statSync(program)
  return now.ino !== ino || now.mtimeMs !== mtimeMs
}

describe('the build', () => {
  it('is skipped while nothing has changed', () => {
    expect(wasBuilt()).toBe(false)
  })

  it('runs again if a file of dist/ is damaged', () => {
    appendFileSync(join(copy, 'dist/index.cjs'), '//')
    expect(wasBuilt()).toBe(true)
  })

  it('fails with the error of the compiler, and runs again afterwards', () => {
    appendFileSync(join(copy, 'src/index.ts'), 'export const = 2\n')
    const { status, stdout, stderr } = spawnSync(process.execPath, ['.config/build.js'], {
      cwd: copy,
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stdout + stderr).toContain('src/index.ts')
    cpSync(`${root}src/index.ts`, join(copy, 'src/index.ts'))
    appendFileSync(join(copy, 'fixtures/garden.json'), '\n')
    build()
    expect(existsSync(program)).toBe(true)
  })
})
