import { createHash } from 'node:crypto'
import { type PluginObj, type TransformOptions, template, transformSync, version } from '@babel/core'
// @ts-expect-error The package has no types.
import commonJs from '@babel/plugin-transform-modules-commonjs'
import packageJson from '../../package.json' with { type: 'json' }

type JestOptions = { readonly supportsStaticESM?: boolean; readonly configString?: string }

/** Replaces `import.meta.url`, which Babel's CommonJS plugin keeps although it is a syntax error in CommonJS. */
const importMetaUrl = (): PluginObj => ({
  visitor: {
    MemberExpression(path) {
      if (path.get('object').isMetaProperty() && path.get('property').isIdentifier({ name: 'url' }))
        path.replaceWith(template.expression.ast`require("node:url").pathToFileURL(__filename).href`)
    },
  },
})

const options: TransformOptions = {
  babelrc: false,
  configFile: false,
  sourceType: 'unambiguous',
  // Babel before 7.25 fails to rewrite top-level `this`, so `allowTopLevelThis` turns this rewriting off.
  plugins: [importMetaUrl, [commonJs, { allowTopLevelThis: true }]],
  retainLines: true,
  compact: false,
}

export const process = (
  source: string,
  filename: string,
  { supportsStaticESM }: JestOptions = {},
): { code: string } => ({
  code: supportsStaticESM ? source : (transformSync(source, { ...options, filename })?.code ?? source),
})

export const getCacheKey = (source: string, path: string, { supportsStaticESM, configString }: JestOptions): string =>
  createHash('sha256')
    .update(JSON.stringify([packageJson.version, version, source, path, supportsStaticESM, configString]))
    .digest('hex')
