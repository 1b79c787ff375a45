import { PlantMockError } from './errors.ts'
import { isPromise } from './maybe-promise.ts'

/**
 * A filter of a user, as a function for `Array.filter`. A promise counts as true, so that an `async` filter would select
 * everything.
 * @throws PlantMockError when it is called, if the filter returns a promise.
 */
export const syncFilter =
  <T>(filter: (value: T) => unknown): ((value: T) => boolean) =>
  (value) => {
    const result = filter(value)
    if (isPromise(result))
      throw new PlantMockError('A filter must return true or false, not a promise. Await what it needs before.')
    return Boolean(result)
  }
