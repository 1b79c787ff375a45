import { PlantMockError, StorageError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'

export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly code: string
  /** True if the store may have executed the request although it failed. */
  readonly isUncertain: boolean

  constructor(message: string, code = '', isUncertain = false, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.isUncertain = isUncertain
  }

  certain(): StoreFailure {
    return new StoreFailure(this.message, this.code, false, this.cause)
  }
}

const reasons: Readonly<Record<string, string>> = {
  READONLY: 'it is a read-only replica; use the address of the primary',
  MOVED: 'another node of its cluster holds this mock; use the address of that node',
  WRONGTYPE: 'a key of this mock has a value that plant-mock did not write; remove it, or use another --store-name',
  NOPERM: 'this user has too few rights',
  NODATABASE: 'it has no database with this number',
  NOSCRIPTS: 'it runs no scripts; for a Sentinel, use the address of its primary',
}

const permanent = ['WRONGPASS', 'NOAUTH', 'NOPERM', 'NODATABASE', 'NOSCRIPTS', 'MOVED', 'WRONGTYPE', 'EACCES']

export const isPermanent = ({ code }: StoreFailure): boolean =>
  permanent.includes(code) || /^ERR_TLS|CERT|^UNABLE_TO/.test(code)

export const reasonOf = ({ code, message }: StoreFailure): string => reasons[code] ?? message.replace(/\.$/, '')

export const failureOf = (error: unknown, isUncertain: boolean): StoreFailure => {
  if (error instanceof StoreFailure) return error
  const message = messageOf(error).trim() || codeOf(error) || 'the connection failed'
  const code = codes.find(([pattern]) => pattern.test(message))?.[1] ?? /^([A-Z]{2,})(?: |$)/.exec(message)?.[1]
  return code === undefined
    ? new StoreFailure(message, codeOf(error), isUncertain, error)
    : new StoreFailure(message, code, false, error)
}

const codes: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/user executing the script can't|can't (?:run|access) .* (?:command|keys?)/, 'NOPERM'],
  [/DB index is out of range/, 'NODATABASE'],
  [/unknown command/, 'NOSCRIPTS'],
]

const codeOf = (error: unknown): string => {
  const { code, errors, cause } = Object(error) as { code?: unknown; errors?: readonly unknown[]; cause?: unknown }
  if (typeof code === 'string') return code
  const inner = errors?.[0] ?? cause
  return inner === undefined ? '' : codeOf(inner)
}

export const storageError = (store: string, error: unknown): PlantMockError => {
  if (error instanceof PlantMockError) return error
  const failure = failureOf(error, false)
  if (failure.cause instanceof PlantMockError) return new StorageError(failure.cause.message, 'store-unreachable')
  if (failure.code === 'OOM')
    return new StorageError(
      `The memory of ${store} is full. Nothing was changed. Raise its maxmemory, or remove keys; then try again.`,
      'insufficient-storage',
    )
  const effect = failure.isUncertain
    ? 'The store may have executed this request: check before you send it again.'
    : 'Nothing was changed; try again in a second.'
  return new StorageError(`${store} cannot be used: ${reasonOf(failure)}. ${effect}`, 'store-unreachable')
}

/** Captures the timers at import, because a test may install fake timers later, which would stop the connection. */
export const { setTimeout, clearTimeout } = globalThis

const maxLateness = 300

const graceAfterSuspension = 500

/** Extends the deadline if the process was suspended or busy, because the process may not have read the reply yet. */
export const withDeadline = <T>(pending: Promise<T>, timeout: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const due = performance.now() + timeout
    const fail = () => reject(new StoreFailure(`it did not respond within ${timeout / 1_000} s`, 'LATE', true))
    let timer = setTimeout(() => {
      if (performance.now() - due < maxLateness) fail()
      else timer = setTimeout(fail, graceAfterSuspension)
    }, timeout)
    pending.then(resolve, reject).finally(() => clearTimeout(timer))
  })
