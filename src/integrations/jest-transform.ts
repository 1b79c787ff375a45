import { createHash } from 'node:crypto'
import packageJson from '../../package.json' with { type: 'json' }
import { toCommonJs } from './to-common-js.ts'

// A transformer of Jest: https://jestjs.io/docs/code-transformation#writing-custom-transformers

type TransformOptions = { readonly supportsStaticESM?: boolean; readonly configString?: string }

/** Compiles an ES module to CommonJS, unless Jest loads it as a module. */
export const process = (
  source: string,
  path: string,
  { supportsStaticESM }: TransformOptions = {},
): { code: string } => ({
  code: supportsStaticESM ? source : toCommonJs(source, path),
})

/** Jest keeps what it has compiled, until one of these changes. */
export const getCacheKey = (
  source: string,
  path: string,
  { supportsStaticESM, configString }: TransformOptions,
): string =>
  createHash('sha256')
    .update(JSON.stringify([packageJson.version, source, path, supportsStaticESM, configString]))
    .digest('hex')
