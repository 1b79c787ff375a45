import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'

export type LineMembers = Readonly<Record<string, 'number' | 'string' | 'object' | 'array'>>

/** Ignores incomplete lines, because runners kill workers that are still writing. */
export const readLines = async <Line extends { readonly type: string }>(
  folder: string,
  names: RegExp,
  members: Readonly<Record<Line['type'], LineMembers>>,
): Promise<readonly (readonly Line[])[]> => {
  const logs: Line[][] = []
  for (const name of (await readdir(folder)).filter((name) => names.test(name)).sort()) {
    const values = (await readFile(join(folder, name), 'utf8')).split('\n').map(jsonOrUndefined)
    logs.push(values.filter((value): value is Line => isJsonObject(value) && hasMembers(value, members)))
  }
  return logs
}

const hasMembers = (
  { type, ...value }: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, LineMembers>>,
): boolean =>
  Object.hasOwn(members, String(type)) &&
  Object.entries(members[String(type)] ?? {}).every(([name, kind]) => typeOf(value[name]) === kind)

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
