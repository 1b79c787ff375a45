/** A value, or a promise of it. Code that is synchronous with the default store stays synchronous. */
export type MaybePromise<T> = T | Promise<T>

/** Continues with a value: at once, or when its promise is fulfilled. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)
