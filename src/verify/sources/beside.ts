import { dirname, join } from 'node:path'
import { fileBeside } from '../../server/files/har-text.ts'
import { parseJson } from '../../util/json.ts'
import { parseYaml } from '../../util/yaml.ts'
import type { OpenFile } from './tree.ts'

/** Maximum bytes of a file, because parsed YAML needs about 80 times its size in memory. */
const maxBytes = 8 * 1024 * 1024

/** Opens no addresses and no files outside the document's folder, because the document may be untrusted. */
export const filesBeside = (document: string): OpenFile => {
  const opened = new Map<string, ReturnType<OpenFile>>()
  const open = (file: string): ReturnType<OpenFile> => {
    const found = fileBeside(document, file, maxBytes)
    if ('reason' in found) return found
    const text = found.bytes.toString()
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
    } catch {
      return { reason: 'leads to no file' }
    }
  }
}
