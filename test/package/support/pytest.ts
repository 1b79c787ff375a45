import { spawnSync } from 'node:child_process'
import { skipsUnless } from '../../support/skips.ts'

export const python = 'python3'

export const skipsPytest = skipsUnless(
  process.env.PLANT_MOCK_PYTEST === 'required' || spawnSync(python, ['-m', 'pytest', '--version']).status === 0,
  'pytest (Debian: apt-get install python3-pytest)',
)
