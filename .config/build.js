// Builds dist/: the bundles, their declarations. `npm run build` runs it; it prints nothing unless something is wrong.
import { spawnSync } from 'node:child_process'
import { build } from 'rolldown'
import { completeDeclarations } from './declarations.js'
import { root } from './entry-points.js'
import configs from './rolldown.config.js'

for (const config of configs) await build(config)
const tsc = `${root}node_modules/typescript/bin/tsc`
const { status } = spawnSync(process.execPath, [tsc, '-p', `${root}.config/tsconfig.build.json`], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
completeDeclarations()
