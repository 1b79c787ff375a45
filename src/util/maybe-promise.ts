export type MaybePromise<T> = T | Promise<T>

/** Tests for `then` instead of `instanceof Promise`: inside Jest, promises of Node.js belong to another realm. */
export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as Partial<Promise<T>> | null | undefined)?.then === 'function'

export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  isPromise(value) ? value.then(next) : next(value)
