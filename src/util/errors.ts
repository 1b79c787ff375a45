/** Recognises errors of every realm, because Jest runs tests in another realm than Node.js. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'

const instanceOf = Function.prototype[Symbol.hasInstance]

/** Makes `instanceof` recognise errors of another copy of this module: a process may load both ESM and CommonJS. */
const recognizeByMark = (errorClass: { readonly prototype: Error }, name: string): void => {
  const mark = Symbol.for(`plant-mock.${name}`)
  Object.defineProperty(errorClass.prototype, mark, { value: true })
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return this === errorClass ? mark in Object(value) : instanceOf.call(this as never, value)
    },
  })
}

/** An unusable option, assumption, fixture or port. The message says what failed, why, and what to do now. */
export class PlantMockError extends Error {
  override readonly name = 'PlantMockError'
}

export class SuiteError extends PlantMockError {
  static {
    recognizeByMark(SuiteError, 'SuiteError')
  }
}

export class StoppedError extends PlantMockError {}

export class AddressError extends PlantMockError {}

export type StorageProblem = 'insufficient-storage' | 'store-unreachable' | 'internal-error'

/** Omits the address of the store and the cause, because clients read this text. */
export const storeAway = 'The store of this mock cannot be used; the log of the server says why.'

export class StorageError extends PlantMockError {
  readonly problem: StorageProblem

  constructor(message: string, problem: StorageProblem = 'internal-error') {
    super(message)
    this.problem = problem
  }
}

export class UnreachableError extends PlantMockError {}

for (const [name, errorClass] of Object.entries({
  PlantMockError,
  StoppedError,
  AddressError,
  StorageError,
  UnreachableError,
}))
  recognizeByMark(errorClass, name)

/** Reads `cause`, where Node.js puts the reason of a failed `fetch`. The message is always `fetch failed`. */
export const fetchFailure = (error: unknown): string => {
  const { message, cause } = isError(error) ? error : new Error(String(error))
  return (isError(cause) && (cause.message.trim() || (cause as NodeJS.ErrnoException).code)) || message
}

export const unreadable = (kind: string, file: string, error: unknown): PlantMockError => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new PlantMockError(`The ${kind} file ${file} ${fileReasons[code] ?? `cannot be read: ${message}`}.`)
}

const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8',
}
