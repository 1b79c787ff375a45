import { PlantMockError } from './errors.ts'

type Method = (...args: readonly unknown[]) => unknown

/** V8 has it, and other engines since lately. */
type Capture = { captureStackTrace?: (target: object, below: unknown) => void }

/**
 * Async methods whose PlantMockErrors have a stack that begins where a user called them, so that a test runner shows that
 * line of the test. Includes those in members that are objects.
 */
export const fromCaller = <T extends object>(methods: T): T =>
  Object.fromEntries(
    Object.entries(methods).map(([name, value]) => [
      name,
      typeof value === 'function' ? withStack(value as Method) : fromCaller(value as object),
    ]),
  ) as T

const withStack = (method: Method): Method => {
  const called = async (...args: readonly unknown[]): Promise<unknown> => {
    const place: { stack?: string } = {}
    ;(Error as Capture).captureStackTrace?.(place, called)
    try {
      return await method(...args)
    } catch (error) {
      if (error instanceof PlantMockError && place.stack !== undefined)
        error.stack = `${error.name}: ${error.message}${place.stack.slice(place.stack.indexOf('\n'))}`
      throw error
    }
  }
  return called
}
