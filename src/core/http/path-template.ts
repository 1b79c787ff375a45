export const matchPath = (template: string, path: string): Readonly<Record<string, string>> | undefined => {
  // perf: compares most templates as a whole, because only templates with parameters need `split` (`npm run bench`).
  if (!template.includes('{')) return template === path ? noParameters : undefined
  const wanted = template.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [i, segment] of wanted.entries()) {
    const text = given[i] ?? ''
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? []
    if (name === undefined) {
      if (segment !== text) return undefined
      continue
    }
    const value = decodeSegment(text)
    if (value === undefined || value === '') return undefined
    parameters[name] = value
  }
  return parameters
}

export const noParameters: Readonly<Record<string, string>> = {}

const decodeSegment = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
