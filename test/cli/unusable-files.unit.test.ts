import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { finish } from '../support/command-line.ts'
import { openFolder } from '../support/folder.ts'

const upstream = ['--upstream', 'http://127.0.0.1:9', '--upstream-for', 'all']
const verify = ['verify', 'http://127.0.0.1:9', '--token', 'alice']

const folder = await openFolder()
beforeAll(async () => {
  for (const name of ['folder.json', 'folder.har']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'broken.json'), '{\n"a": s3cr3t-of-alice }')
  await writeFile(join(folder, 'db.json'), '{"plants":[{"name":"Ivy"}],"posts":[]}')
  await symlink('nowhere', join(folder, 'dangling.json'))
  await symlink('loop.json', join(folder, 'loop.json'))
})

describe('an unusable file is named with the reason', () => {
  const long = `${'x'.repeat(300)}.json`
  const rows: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
    [['--fixtures', 'folder.json'], /fixture file folder\.json cannot be read: EISDIR/],
    [['--fixtures', 'dangling.json'], /fixture file dangling\.json does not exist\./],
    [['--fixtures', 'loop.json'], /fixture file loop\.json cannot be read: ELOOP/],
    [['--fixtures', long], /cannot be read: ENAMETOOLONG/],
    [['--fixtures', '/dev/null/plants.json'], /fixture file \/dev\/null\/plants\.json does not exist\./],
    [['--assumptions', 'folder.json'], /assumptions file folder\.json cannot be read: EISDIR/],
    [['--assumptions', 'loop.json'], /assumptions file loop\.json cannot be read: ELOOP/],
    [['--assumptions', long], /cannot be read: ENAMETOOLONG/],
    [['--cert', 'folder.json', '--key', 'loop.json'], /file folder\.json of --cert cannot be read: EISDIR/],
    [['--cert', 'dangling.json', '--key', 'loop.json'], /file dangling\.json of --cert does not exist\./],
    [['--tokens-map', 'loop.json', ...upstream], /file loop\.json of --tokens-map cannot be read: ELOOP/],
    [
      ['--tokens-map', 'broken.json', ...upstream],
      /of --tokens-map is not JSON: unexpected "s" at line 2, column 6\.\n/,
    ],
    [['--fixtures', 'broken.json'], /broken\.json is not JSON: unexpected "s" at line 2, column 6\.\n/],
    [
      ['--fixtures', 'db.json'],
      /: db\.json: Invalid fixture at index 0: "Ivy" has no tag, .*--assume create\.required=/,
    ],
    [['--assumptions', 'broken.json'], /broken\.json is not JSON: unexpected "s" at line 2, column 6\.\n/],
    [['--record', 'folder.har', ...upstream], /folder\.har cannot be read: EISDIR/],
    [['--record', 'nowhere/at/all.har', ...upstream], /--record cannot write nowhere\/at\/all\.har: ENOENT/],
    [['--record', `${long}.har`, ...upstream], /--record cannot write x+\.json\.har: ENAMETOOLONG/],
    [[...verify, '--learn', 'folder.json'], /--learn cannot write folder\.json: it is a folder\./],
    [['learn', 'broken.json', '--out', 'folder.json'], /--out cannot write folder\.json: it is a folder\./],
    [['learn', 'broken.json', '--out', 'no/x.json'], /--out cannot write no\/x\.json: its folder does not exist\./],
    [[...verify, '--learn', long], /--learn cannot write x+\.json: ENAMETOOLONG/],
  ]
  const named = rows.map(([args, reason]) => [args.join(' ').replace(long, 'A-LONG-NAME'), args, reason] as const)
  it.each(named)('%s', async (_, args, reason) => {
    const inFolder = args.map((arg) => (/^(?!\/|http).*\.(?:json|har)$/.test(arg) ? join(folder, arg) : arg))
    const { code, out, error } = await finish(inFolder)
    expect({ code, out, lines: error.split('\n').length }).toEqual({ code: 2, out: '', lines: 2 })
    expect(error.replaceAll(join(folder, '/'), '')).toMatch(reason)
  })
})
