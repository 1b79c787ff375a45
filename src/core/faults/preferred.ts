const ranges = { code: { min: 400, max: 599 }, delay: { min: 0, max: 60_000 } } as const

type PreferenceName = keyof typeof ranges

export type Preferred = { readonly [Name in PreferenceName]?: number }

const preference = /^\s*(code|delay)\s*=\s*(?:(0|[1-9]\d{0,4})|"(0|[1-9]\d{0,4})")\s*(?:;.*)?$/i

const nameIn = (element: string) => preference.exec(element)?.[1]?.toLowerCase() as PreferenceName | undefined

/** Only the first occurrence of a repeated preference counts (RFC 7240, 2). Invalid values are ignored. */
export const preferredIn = (prefer: string | undefined): Preferred | undefined => {
  if (prefer === undefined) return undefined
  const firsts = new Map<PreferenceName, number>()
  for (const element of prefer.split(',')) {
    const name = nameIn(element)
    const [, , value, quoted] = preference.exec(element) ?? []
    if (name !== undefined && !firsts.has(name)) firsts.set(name, Number(value ?? quoted))
  }
  const honoured = [...firsts].filter(([name, value]) => value >= ranges[name].min && value <= ranges[name].max)
  return honoured.length === 0 ? undefined : Object.fromEntries(honoured)
}

export const withoutHonoured = (prefer: string, preferred: Preferred): string | undefined => {
  const rest = prefer.split(',').filter((element) => !((nameIn(element) ?? '') in preferred))
  return rest.length === 0 ? undefined : rest.join(',').trim()
}

export const appliedHeaders = (preferred: Preferred): readonly string[] => [
  'Preference-Applied',
  Object.entries(preferred)
    .map(([name, value]) => `${name}=${value}`)
    .join(', '),
  // Sends `Vary: Prefer` (RFC 7240, 2), because a cache must not reuse the response for other preferences.
  'Vary',
  'Prefer',
]
