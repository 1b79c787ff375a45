import type { Pseudonyms } from './callers.ts'
import type { Recorded } from './entry.ts'
import { bearerIn, tokenHider } from './redact.ts'

/** Leaves of what a client sent, apart from the body, what has a bound. */
export const shorten = (recorded: Recorded, names: Pseudonyms): void => {
  // Hidden first: of a token that is cut in two, no part could be found any more.
  const hide = tokenHider(bearerIn(recorded.headers), names.of)
  recorded.path = beginningOf(hide(recorded.path))
  recorded.query = beginningOf(hide(recorded.query))
  recorded.headers = telling(recorded.headers, hide)
}

/** Of headers that gave way, those that tell whether the request violates the contract. */
const telling = (headers: readonly string[], hide: (text: string) => string): readonly string[] => {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]]
    if (/^authorization$/i.test(name)) kept.push(name, beginningOf(value))
    else if (/^content-type$/i.test(name)) kept.push(name, beginningOf(hide(value)))
  }
  return kept
}

const mostOfText = 500

/** Put together anew: a slice would hold on to the whole text. */
const beginningOf = (text: string): string =>
  text.length > mostOfText ? Array.from(text.slice(0, mostOfText)).join('') : text
