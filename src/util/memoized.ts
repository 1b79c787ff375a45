/** Runs a function once and keeps its result; runs it again only after a failure. */
export const memoized = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => {
    result ??= run().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}
