import { packageFile } from './server/files/package-folder.ts'

/** ES modules, which Jest must compile in its default mode: msw 3, and dependencies of msw 2 and 3. */
const packages = [
  'msw',
  '@msw',
  '@mswjs',
  '@open-draft',
  'cookie',
  'headers-polyfill',
  'is-node-process',
  'outvariant',
  'rettime',
  'tough-cookie',
  'until-async',
]

const below = `(?:\\.pnpm/[^/]+/node_modules/)?(?:${packages.join('|')})/`

const transformer = packageFile('dist', 'integrations', 'jest-babel.cjs')

/** Compiles msw and its dependencies, and other files as Jest does by default. Patterns of the user take precedence. */
export const transform: Readonly<Record<string, string>> = {
  [`/node_modules/${below}.+\\.m?js$`]: transformer ?? '',
  '\\.[jt]sx?$': 'babel-jest',
}

/** Leaves the same files uncompiled as Jest does by default, except msw and its dependencies. */
export const transformIgnorePatterns: readonly string[] = [`/node_modules/(?!${below})`, '\\.pnp\\.[^\\/]+$']
