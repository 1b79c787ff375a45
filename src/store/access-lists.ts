import type { Caller } from '../contract/schemas.ts'

/** Numbers lists of callers from 0; equal lists have one number and share one array. */
export class AccessLists {
  /** By number. `undefined` stands for the missing `access` of a plant that every caller may see. */
  readonly all: (readonly Caller[] | undefined)[] = [undefined]
  readonly #numbers = new Map<string, number>()

  /** The number of a list, without repeated callers. */
  numberOf(access: readonly Caller[] | undefined): number {
    if (access === undefined) return 0
    // Tokens have no spaces (RFC 6750, 2.1).
    const key = access.length === 1 ? (access[0] ?? '') : access.join(' ')
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.all.push([...new Set(access)]) - 1
    this.#numbers.set(key, number)
    return number
  }
}
