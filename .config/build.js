// Builds dist/: the bundles, their declarations. `npm run build` runs it, and so do npm ci, npm test and npm pack. It
// prints nothing unless something is wrong, and skips the build if neither its inputs nor dist/ have changed since the last.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { root } from './entry-points.js'

/** The hidden lockfile has the versions that are installed, whatever package-lock.json says. */
const inputs = [
  'src',
  'fixtures',
  '.config',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
]
const record = `${root}node_modules/.cache/plant-mock/build`

const filesIn = (path) =>
  statSync(`${root}${path}`, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(`${root}${path}`)
        .sort()
        .flatMap((name) => filesIn(`${path}/${name}`))
    : [path]

/** A hash of names, contents and executable bits. */
const fingerprint = (paths) => {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesIn)) {
    if (!existsSync(`${root}${path}`)) continue
    const content = readFileSync(`${root}${path}`)
    hash.update(JSON.stringify([path, content.length, statSync(`${root}${path}`).mode & 0o111])).update(content)
  }
  return hash.digest('hex')
}

const bundle = async () => {
  // Loaded on demand: a skipped build does not need them.
  const [{ build }, { default: configs }, { noticesOf }] = await Promise.all([
    import('rolldown'),
    import('./rolldown.config.js'),
    import('./notices.js'),
  ])
  const moduleIds = []
  // A busy machine makes a build slow, and a warning about the time of a plugin says nothing then.
  for (const config of configs) {
    const { output } = await build({ ...config, checks: { bundlerTimings: false } })
    moduleIds.push(...output.flatMap((chunk) => chunk.moduleIds ?? []))
  }
  writeFileSync(`${root}dist/THIRD-PARTY-NOTICES.md`, noticesOf(moduleIds))
}

/** Without a type check, which `npm run check` does, in half of the time. */
const declare = async () => {
  const tsc = `${root}node_modules/typescript/bin/tsc`
  const args = [tsc, '-p', `${root}.config/tsconfig.build.json`, '--noCheck']
  const [status] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
  if (status !== 0) throw new Error(`tsc failed with exit code ${status}; see its output above.`)
}

// Before the build, so that a change during the build counts as one after it.
const before = fingerprint(inputs)
const last = existsSync(record) ? readFileSync(record, 'utf8') : ''
if (last !== `${before} ${fingerprint(['dist'])}`) {
  rmSync(`${root}dist`, { recursive: true, force: true })
  const declared = declare()
  await bundle().finally(() => declared)
  const { completeDeclarations } = await import('./declarations.js')
  completeDeclarations()
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, `${before} ${fingerprint(['dist'])}`)
}
