import { packageFile } from './server/files/package-folder.ts'

/** Packages of ES modules that Jest must compile to CommonJS: msw 3, and dependencies of msw 2 and 3. */
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

/** Jest's option `transform`: also compiles msw and its dependencies. A pattern of the user takes precedence. */
export const transform: Readonly<Record<string, string>> = {
  [`/node_modules/${below}.+\\.m?js$`]: transformer ?? '',
  '\\.[jt]sx?$': 'babel-jest',
}

/** Jest's option `transformIgnorePatterns`: the default of Jest, except that msw and its dependencies are compiled. */
export const transformIgnorePatterns: readonly string[] = [`/node_modules/(?!${below})`, '\\.pnp\\.[^\\/]+$']
