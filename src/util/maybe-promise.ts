/** A value, or a promise of it. Code that is synchronous with the default store stays synchronous. */
export type MaybePromise<T> = T | Promise<T>

/** By its method, because the promises of Node.js itself are of another realm inside of Jest. */
export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as Partial<Promise<T>> | null | undefined)?.then === 'function'

/** Continues with a value: at once, or when its promise is fulfilled. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  isPromise(value) ? value.then(next) : next(value)
