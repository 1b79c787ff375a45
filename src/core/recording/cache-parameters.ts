import { headerValue } from '../http/headers.ts'
import { operations } from '../operations/operations.ts'
import type { RawExchange } from './entries.ts'

/** Removes query parameters that change no list, such as `_=1764327721000`, which jQuery adds to bypass caches. */
export const withoutCacheParameters = (exchanges: readonly RawExchange[]): readonly RawExchange[] => {
  const names = new Set(exchanges.filter(isList).flatMap(({ url }) => [...url.searchParams.keys()]))
  names.delete('limit')
  let shown = exchanges
  for (const name of [...names].slice(0, 50))
    if (isIgnored(name, shown)) shown = shown.map((one) => ({ ...one, url: without(one.url, name) }))
  return shown
}

const isList = ({ method }: RawExchange): boolean => method === operations.listPlants.method

const timeOrRandom = /^(?:\d{10,}|0?\.\d{8,})$/

/** True if all values are times or random numbers, or if lists with and without the parameter are equal. */
const isIgnored = (name: string, exchanges: readonly RawExchange[]): boolean => {
  let isForCaches = true
  const equal = new Set<string>()
  let latest = new Map<string, { readonly value: string | null; readonly answer: string }>()
  for (const one of exchanges) {
    if (!isList(one) && one.status < 300) latest = new Map()
    if (!isList(one)) continue
    const value = one.url.searchParams.get(name)
    isForCaches &&= value === null || name === '_' || timeOrRandom.test(value)
    const key = JSON.stringify([headerValue(one.requestHeaders, 'authorization'), without(one.url, name).search])
    const before = latest.get(key)
    const answer = `${one.status} ${one.body}`
    latest.set(key, { value, answer })
    if (before === undefined || before.value === value) continue
    if (before.answer !== answer) return false
    if (value === null || before.value === null) equal.add(answer)
  }
  return isForCaches || equal.size > 1
}

const without = (url: URL, name: string): URL => {
  const rest = new URL(url)
  rest.searchParams.delete(name)
  return rest
}
