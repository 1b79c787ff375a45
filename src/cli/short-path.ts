import { relative } from 'node:path'

/** The path of a file from the working folder, unless it is outside. */
const shortPath = (file: string): string => {
  const path = relative(process.cwd(), file)
  return path === '' || path.startsWith('..') ? file : path
}

/** A test with a short path; one whose name is its file stays so. */
export const withShortPath = <T extends { readonly file: string; readonly name: string }>(test: T): T => {
  const file = shortPath(test.file)
  return { ...test, file, name: test.name === test.file ? file : test.name }
}
