import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { parseJson } from '../../util/json.ts'
import { parseYaml } from '../../util/yaml.ts'
import type { OpenFile } from './tree.ts'

/** In bytes. Parsed YAML needs about eighty times its size in memory. */
const maxSize = 8 * 1024 * 1024

/** Never opens addresses or files outside of the document's folder: a document may come from anywhere. */
export const filesBeside = (document: string): OpenFile => {
  const folder = realpathSync(dirname(resolve(document)))
  const opened = new Map<string, ReturnType<OpenFile>>()
  const open = (file: string): ReturnType<OpenFile> => {
    // Follows symbolic links before the comparison.
    const path = realpathSync(join(folder, file))
    const inside = relative(folder, path)
    if (inside.startsWith('..') || isAbsolute(inside)) return { reason: 'leads out of the folder of the document' }
    const stats = statSync(path)
    if (!stats.isFile()) return { reason: 'leads to no file' }
    if (stats.size > maxSize) return { reason: `leads to a file of more than ${maxSize} bytes` }
    const text = readFileSync(path, 'utf8')
    const json = parseJson(text)
    const parsed = 'value' in json ? json : parseYaml(text)
    return 'error' in parsed ? { reason: `leads to a file that is not YAML: ${parsed.error}` } : { file, ...parsed }
  }
  return (reference, from) => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(reference)) return { reason: 'is an address, which is never fetched' }
    try {
      const file = reference === '' ? from : join(dirname(from), decodeURIComponent(reference))
      const found = opened.get(file) ?? open(file)
      opened.set(file, found)
      return found
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return { reason: code === 'ENOENT' || code === 'ENOTDIR' ? 'leads to no file' : 'leads to an unreadable file' }
    }
  }
}
