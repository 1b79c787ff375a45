/** Whether a value is an error, also of another realm: inside Jest, errors of Node.js itself are. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'

const instanceOf = Function.prototype[Symbol.hasInstance]

/**
 * Makes `instanceof` recognize the errors of a class by a mark, whichever copy of this module they are from: a process
 * may load it twice, as an ES module and as CommonJS. Subclasses elsewhere are recognized by their prototype, as usual.
 */
const recognizeByMark = (errorClass: { readonly prototype: Error }, name: string): void => {
  const mark = Symbol.for(`plant-mock.${name}`)
  Object.defineProperty(errorClass.prototype, mark, { value: true })
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return this === errorClass ? mark in Object(value) : instanceOf.call(this as never, value)
    },
  })
}

/**
 * A value given to plant-mock is unusable: an option, an assumption, a fixture, a port.
 * The message says what failed, why, and what to do now; at a terminal it is all that is shown.
 */
export class PlantMockError extends Error {
  override readonly name = 'PlantMockError'
  static {
    recognizeByMark(PlantMockError, 'PlantMockError')
  }
}

/** The address cannot be bound: in use, not of this machine, or not permitted. */
export class AddressError extends PlantMockError {
  static {
    recognizeByMark(AddressError, 'AddressError')
  }
}

export type StorageProblem = 'insufficient-storage' | 'store-unreachable' | 'internal-error'

/** For everybody: the address of a store and the reason are not. */
export const storeAway = 'The store of this mock cannot be used; the log of the server says why.'

/** A change could not be written to the file, or the store, that keeps it. The message says whether it may be there. */
export class StorageError extends PlantMockError {
  static {
    recognizeByMark(StorageError, 'StorageError')
  }
  readonly problem: StorageProblem

  constructor(message: string, problem: StorageProblem = 'internal-error') {
    super(message)
    this.problem = problem
  }
}

/** The service or mock at an address cannot be reached. */
export class UnreachableError extends PlantMockError {
  static {
    recognizeByMark(UnreachableError, 'UnreachableError')
  }
}

/** The reason for which `fetch` failed. The message of Node's error is always `fetch failed`; its cause has the reason. */
export const fetchFailure = (error: unknown): string => {
  const { message, cause } = isError(error) ? error : new Error(String(error))
  return (isError(cause) && (cause.message.trim() || (cause as NodeJS.ErrnoException).code)) || message
}
