import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { dualEntryPoints, entryPoints, root } from './entry-points.js'

const dist = `${root}dist`

/** tsc leaves the names of the sources in declarations, and reads `x.ts` there as `x.d.ts`. */
const relativeImport = /(?<=\b(?:from |import\()["'])(\.{1,2}\/[^"']+)\.ts(?=["'])/g

/** tsc indents with four spaces, which would be a tenth of all declarations. */
const withTabs = (text) => text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))

/** The sentences of the registry are literal types, which nobody compares: they would be a tenth of all declarations. */
const withoutSentences = (text) => text.replaceAll(/(?<=: )'[^'\n]* [^'\n]*'(?=;$)/gm, 'string')

/** All declarations, by path without `.d.ts`, that a declaration refers to. */
const reachable = (path, found = new Map()) => {
  if (found.has(path)) return found
  const text = readFileSync(`${path}.d.ts`, 'utf8')
  found.set(path, text)
  for (const [, target] of text.matchAll(relativeImport)) reachable(resolve(dirname(path), target), found)
  return found
}

const reachableFrom = (names) => {
  const found = new Map()
  for (const name of names) reachable(`${dist}/${name}`, found)
  return found
}

/**
 * Completes the declarations that tsc writes: drops those that no entry point refers to, and adds those of the CommonJS
 * build, which TypeScript reads as CommonJS by their extension.
 */
export const completeDeclarations = () => {
  const kept = reachableFrom(entryPoints)
  for (const [path, text] of kept) writeFileSync(`${path}.d.ts`, withoutSentences(withTabs(text)))
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`
    if (entry.name.endsWith('.d.ts') && !kept.has(path.replace(/\.d\.ts$/, ''))) rmSync(path)
  }
  for (const [path, text] of reachableFrom(dualEntryPoints))
    writeFileSync(`${path}.d.cts`, text.replaceAll(relativeImport, '$1.cjs'))
}
