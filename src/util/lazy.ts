export function* mapLazily<T, R>(items: Iterable<T>, map: (item: T) => R): Generator<R> {
  for (const item of items) yield map(item)
}

export function* flatMapLazily<T, R>(items: Iterable<T>, map: (item: T) => Iterable<R>): Generator<R> {
  for (const item of items) yield* map(item)
}

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
