import { packageFile } from './server/files/package-folder.ts'

/**
 * msw 3, and the dependencies of msw 2 and 3 that are ES modules. In its default mode, CommonJS, Jest must compile
 * them.
 */
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

/** Below `node_modules/`, also in the folders of pnpm. */
const below = `(?:\\.pnpm/[^/]+/node_modules/)?(?:${packages.join('|')})/`

/** The built transformer, also when this module runs from `src/`. */
const transformer = packageFile('dist', 'integrations', 'jest-babel.cjs')

/** Compiles these packages; Jest compiles other files as by default. Patterns of the user take precedence. */
export const transform: Readonly<Record<string, string>> = {
  [`/node_modules/${below}.+\\.m?js$`]: transformer ?? '',
  '\\.[jt]sx?$': 'babel-jest',
}

/** Jest's default, except for these packages. */
export const transformIgnorePatterns: readonly string[] = [`/node_modules/(?!${below})`, '\\.pnp\\.[^\\/]+$']
