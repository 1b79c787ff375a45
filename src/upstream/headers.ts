/** Headers as node:http has them: names in lower case. */
export type HeaderBag = Record<string, string | string[] | undefined>

/** They belong to one connection and go no further (RFC 9110, 7.6.1; RFC 9112, 9.6). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const

/** The names of the headers that stop here: those of the standard, and those that `Connection` names. */
export const connectionHeaders = (headers: HeaderBag): ReadonlySet<string> => {
  const named = [headers.connection ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
  // What frames a message, and where it goes, is not for its sender to take away.
  return new Set([...hopByHop, ...named.filter((name) => name !== 'content-length' && name !== 'host')])
}

/** What goes on to the next machine. What is said to the mock itself, its key above all, or by one, does not. */
export const endToEnd = (headers: HeaderBag): HeaderBag => {
  const stopping = connectionHeaders(headers)
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => value !== undefined && !stopping.has(name) && !name.startsWith('plant-mock-'),
    ),
  )
}

/** Headers of plain data, names and values in turn, as node:http takes them. */
export const bagOf = (pairs: readonly string[]): HeaderBag => {
  const bag: HeaderBag = Object.create(null)
  for (let i = 0; i < pairs.length; i += 2) {
    const name = (pairs[i] ?? '').toLowerCase()
    const before = bag[name]
    bag[name] = before === undefined ? pairs[i + 1] : [before, pairs[i + 1] ?? ''].flat()
  }
  return bag
}

export const pairsOf = (bag: HeaderBag): string[] =>
  Object.entries(bag).flatMap(([name, values]) => [values ?? []].flat().flatMap((value) => [name, value]))

/** `Via` with one more station (RFC 9110, 7.6.3): by it a request is known that comes back. */
export const withVia = (headers: HeaderBag, station: string): HeaderBag => ({
  ...headers,
  via: [...[headers.via ?? []].flat(), `1.1 ${station}`].join(', '),
})

export const hasPassed = (via: string | undefined, station: string): boolean =>
  (via ?? '').split(',').some((part) => part.trim().split(/\s+/)[1] === station)
