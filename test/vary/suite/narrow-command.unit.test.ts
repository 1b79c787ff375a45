import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { narrowCommand } from '../../../src/vary/suite/narrow-command.ts'

const cwd = '/project'
const narrowed = (command: string, files = ['a.test.ts']) => narrowCommand(command.split(' '), files, cwd)?.join(' ')

describe('narrowCommand', () => {
  it.each([
    ['npx vitest run', 'npx vitest run /project/a.test.ts'],
    ['vitest', 'vitest /project/a.test.ts'],
    [
      'npx --no-install vitest run src test --reporter dot',
      'npx --no-install vitest run --reporter dot /project/a.test.ts',
    ],
    ['pnpm exec vitest run --project unit', 'pnpm exec vitest run --project unit /project/a.test.ts'],
    ['yarn jest', 'yarn jest --runTestsByPath /project/a.test.ts'],
    ['bunx jest -i old.test.ts', 'bunx jest -i --runTestsByPath /project/a.test.ts'],
    ['npm exec -- jest --ci', 'npm exec -- jest --ci --runTestsByPath /project/a.test.ts'],
    ['jest --runTestsByPath b.test.ts', 'jest --runTestsByPath /project/a.test.ts'],
    [
      'playwright test old.spec.ts --project one two -x',
      'playwright test ^/project/a\\.test\\.ts$ --project one two -x',
    ],
    ['mocha --recursive test', 'mocha --recursive /project/a.test.ts'],
    ['cross-env CI=1 mocha', 'cross-env CI=1 mocha /project/a.test.ts'],
    ['node --test', 'node --test /project/a.test.ts'],
    ['/usr/bin/node --import tsx --test test/', '/usr/bin/node --import tsx --test /project/a.test.ts'],
    ['node node_modules/vitest/vitest.mjs run', 'node node_modules/vitest/vitest.mjs run /project/a.test.ts'],
    [
      'node node_modules/@playwright/test/cli.js test',
      'node node_modules/@playwright/test/cli.js test ^/project/a\\.test\\.ts$',
    ],
    [
      'node --enable-source-maps node_modules/.bin/mocha',
      'node --enable-source-maps node_modules/.bin/mocha /project/a.test.ts',
    ],
    ['./node_modules/.bin/jest --silent', './node_modules/.bin/jest --silent --runTestsByPath /project/a.test.ts'],
    ['pytest -k slow tests', 'pytest -k slow /project/a.test.ts'],
    ['python3 -m pytest -q', 'python3 -m pytest -q /project/a.test.ts'],
    ['uv run pytest', 'uv run pytest /project/a.test.ts'],
    ['vitest run --unknown --coverage', 'vitest run --unknown --coverage /project/a.test.ts'],
  ])('narrows %s', (command, expected) => {
    expect(narrowed(command)).toBe(expected)
  })

  it.each([
    ['npm test', 'a script'],
    ['npm exec jest', 'npm takes the options'],
    ['sh -c vitest', 'a shell'],
    ['vitest run --unknown src', 'either a value or a file'],
    ['vitest related a.ts', 'a command that selects files itself'],
    ['vitest run -- a', 'words after --'],
    ['jest --onlyChanged', 'an option that selects files'],
    ['jest --testPathPattern=a', 'an option that selects files'],
    ['playwright install', 'another command'],
    ['node test.js', 'a program'],
    ['node', 'no program'],
    ['node --test --watch', 'does not end'],
    ['python -m unittest', 'another module'],
    ['mocha --config other.json', 'files of a configuration'],
    ['c8 mocha', 'an unknown launcher'],
    ['npx', 'no runner'],
  ])('refuses %s: %s', (command) => {
    expect(narrowed(command)).toBeUndefined()
  })

  it('refuses a command without files, and glob characters for node --test', () => {
    expect(narrowed('vitest run', [])).toBeUndefined()
    expect(narrowed('node --test', ['[id].test.js'])).toBeUndefined()
  })

  it.each([
    ['.mocharc.json', '{ "spec": "test" }', undefined],
    ['package.json', '{ "mocha": { "spec": "test" } }', undefined],
    ['.mocharc.json', '{ "recursive": true }', ['mocha', '/a.js']],
    ['package.json', '{ "name": "spec" }', ['mocha', '/a.js']],
  ])('reads %s with %s, because Mocha adds its files', async (name, text, expected) => {
    const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
    await writeFile(join(folder, name), text)
    expect(narrowCommand(['mocha'], ['/a.js'], folder)).toEqual(expected)
    await rm(folder, { recursive: true })
  })
})
