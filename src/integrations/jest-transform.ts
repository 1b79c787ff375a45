import { createHash } from 'node:crypto'
import packageJson from '../../package.json' with { type: 'json' }
import { PlantMockError } from '../util/errors.ts'

// A transformer of Jest: https://jestjs.io/docs/code-transformation#writing-custom-transformers

type TransformOptions = { readonly supportsStaticESM?: boolean; readonly configString?: string }

/** Compiles an ES module to CommonJS, unless Jest loads it as a module. */
export const process = (
  source: string,
  path: string,
  { supportsStaticESM }: TransformOptions = {},
): { code: string } => ({ code: supportsStaticESM ? source : toCommonJs(source, path) })

/** Jest keeps what it has compiled, until one of these changes. */
export const getCacheKey = (
  source: string,
  path: string,
  { supportsStaticESM, configString }: TransformOptions,
): string =>
  createHash('sha256')
    .update(JSON.stringify([packageJson.version, source, path, supportsStaticESM, configString]))
    .digest('hex')

/**
 * Compiles a built ES module to CommonJS: one whose imports and exports each start a line, as the builds of msw and of
 * the packages below it do. Lines keep their numbers. A module without imports and exports is returned as it is.
 */
export const toCommonJs = (source: string, path: string): string => {
  if (!isModule.test(source)) return source
  /** Statements before the code, on its first line. */
  const header: string[] = []
  let count = 0
  /** Requires a module, and returns the name of the constant that holds it. */
  const load = (specifier: string): string => {
    const name = `__module${count++}`
    header.push(`const ${name} = require(${JSON.stringify(specifier)});`)
    return name
  }
  let code = source
  for (const [pattern, replace] of statements)
    code = code.replaceAll(pattern, (text: string, ...groups: string[]) => {
      const replaced = replace(groups, load, header)
      return `${replaced}${'\n'.repeat(linesOf(text) - linesOf(replaced))}`
    })
  code = code.replaceAll('import.meta.url', 'require("node:url").pathToFileURL(__filename).href')
  const rest = isModule.exec(code)
  if (rest !== null)
    throw new PlantMockError(
      `plant-mock/jest-preset cannot compile line ${linesOf(code.slice(0, rest.index))} of ${path}. Compile it with another transform of Jest, such as @swc/jest.`,
    )
  return `"use strict";Object.defineProperty(exports, "__esModule", { value: true });${header.join('')}${code}\n`
}

const isModule = /^(?:import\b\s*["'{*\w]|export\b\s*[{*\w])/m
const linesOf = (text: string): number => text.split('\n').length

const from = String.raw`\s*from\s*`
const specifier = String.raw`["']([^"']+)["'](?:\s*with\s*\{[^}]*\})?;?`

/** The items of `{ a, b as c, default as d }`, as pairs: the name on the left of `as`, and the one on the right. */
const itemsOf = (list: string): readonly (readonly [string, string])[] =>
  list
    .split(',')
    .map((item) => item.trim().replace(/^type\s.*/, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', alias = name] = item.split(/\s+as\s+/)
      return [name, alias]
    })

/** A getter, so that an export has its latest value, and exists for modules that import each other. */
const exported = (name: string, value: string): string =>
  `Object.defineProperty(exports, ${JSON.stringify(name)}, { enumerable: true, configurable: true, get: () => ${value} });`

const defaultOf = (module: string): string => `(${module}?.__esModule ? ${module}.default : ${module})`

type Replace = (groups: readonly string[], load: (specifier: string) => string, header: string[]) => string

const statements: readonly (readonly [RegExp, Replace])[] = [
  [
    new RegExp(
      String.raw`^import\b\s*(?:(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?${from})?${specifier}`,
      'gm',
    ),
    ([name, namespace, list, specifier = ''], load, header) => {
      const module = load(specifier)
      if (name) header.push(`const ${name} = ${defaultOf(module)};`)
      if (namespace) header.push(`const ${namespace} = ${module};`)
      for (const [imported, local] of itemsOf(list ?? ''))
        header.push(`const ${local} = ${imported === 'default' ? defaultOf(module) : `${module}.${imported}`};`)
      return ''
    },
  ],
  [
    new RegExp(String.raw`^export\s*(?:\*\s*(?:as\s+([\w$]+)\s*)?|\{([^}]*)\})${from}${specifier}`, 'gm'),
    ([namespace, list, specifier = ''], load, header) => {
      const module = load(specifier)
      if (namespace) header.push(exported(namespace, module))
      else if (list === undefined)
        header.push(
          `for (const key of Object.keys(${module})) if (key !== "default" && !Object.hasOwn(exports, key)) Object.defineProperty(exports, key, { enumerable: true, configurable: true, get: () => ${module}[key] });`,
        )
      for (const [imported, name] of itemsOf(list ?? ''))
        header.push(exported(name, imported === 'default' ? defaultOf(module) : `${module}.${imported}`))
      return ''
    },
  ],
  [
    /^export\s*\{([^}]*)\};?/gm,
    ([list = ''], _, header) => {
      for (const [local, name] of itemsOf(list)) header.unshift(exported(name, local))
      return ''
    },
  ],
  [
    /^export\s+((?:async\s+)?function\s*\*?|class|const|let|var)(\s+)([\w$]+)/gm,
    ([kind = '', space = '', name = ''], _, header) => {
      header.unshift(exported(name, name))
      return `${kind}${space}${name}`
    },
  ],
  [/^export\s+default\s+/gm, () => 'exports.default = '],
]
