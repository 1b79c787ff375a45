// Checks that TypeScript finds the types of the package, in each kind of module resolution.
import { spawnSync } from 'node:child_process'
import { moduleOnly, root } from './entry-points.js'

const { status } = spawnSync('npx', ['attw', '--pack', root, '--exclude-entrypoints', ...Object.keys(moduleOnly)], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
