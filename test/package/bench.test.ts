import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openTestFolder } from '../support/folder.ts'
import { skipsUnless } from '../support/skips.ts'
import { root } from './support/cli.ts'
import { parseXml } from './support/xml.ts'

const bench = `${root}test/bench`
const skipsBench = skipsUnless(spawnSync('wrk', ['-v']).error === undefined, 'wrk (Debian: apt-get install wrk)')

const figuresIn = async (folder: string) => {
  const page = await readFile(join(folder, 'RESULTS.md'), 'utf8')
  const picture = await readFile(join(folder, 'results.svg'), 'utf8')
  const rows = (page.split('\n## ')[1] ?? '').matchAll(/^- ([^,:]+): GET ([\d.]+) .*, POST ([\d.]+) /gm)
  const onPage = [...rows].flatMap(([, name, get, post]) => [
    `${name}, GET: ${Number(get)}`,
    `${name}, POST: ${Number(post)}`,
  ])
  const shares = picture.match(/<desc[^>]*>.*<\/desc>/)?.[0].matchAll(/([^.>\s][^.>]*): ([\d.]+) %/g) ?? []
  const inPicture = [...shares].map(([, name, share]) => `${name}: ${Number((Number(share) / 100).toPrecision(3))}`)
  parseXml(picture)
  return { page, onPage, inPicture }
}

describe('the benchmark', () => {
  it('is published with a page and a picture of the same run', async () => {
    const { page, onPage, inPicture } = await figuresIn(bench)
    expect(inPicture.length).toBeGreaterThanOrEqual(4)
    expect(inPicture).toEqual(onPage)
    expect(page).toContain('\n- Prism')
  })

  it.skipIf(skipsBench)('measures every group, and writes a page and a picture', async () => {
    const folder = await openTestFolder()
    await promisify(execFile)(process.execPath, [`${bench}/run.js`, '--quick', '--output', folder])
    const { page, onPage, inPicture } = await figuresIn(folder)
    for (const group of ['Requests', 'Start', 'Import', 'In process', 'Memory'])
      expect(page).toMatch(new RegExp(`\n## ${group}\n\n.*\n\n- \\S`))
    expect(inPicture).toEqual(onPage)
    expect(inPicture).toHaveLength(2)
  })
})
