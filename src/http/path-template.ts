/**
 * Matches a path against a template such as `/plants/{id}`, in which each parameter stands for one whole segment.
 * @param path A path as sent, without the query.
 * @returns The percent-decoded parameters by name; `undefined` when the path differs, or when a parameter's segment is
 * empty or not valid percent-encoding (RFC 3986, 2.1).
 */
export const matchPath = (template: string, path: string): Readonly<Record<string, string>> | undefined => {
  if (!template.includes('{')) return path === template ? {} : undefined
  const expected = template.split('/')
  const given = path.split('/')
  if (given.length !== expected.length) return undefined
  const parameters: [name: string, value: string][] = []
  for (const [index, segment] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    const text = given[index] ?? ''
    if (name === undefined) {
      if (text !== segment) return undefined
      continue
    }
    const value = decodeSegment(text)
    if (value === undefined || value === '') return undefined
    parameters.push([name, value])
  }
  return Object.fromEntries(parameters)
}

const decodeSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
