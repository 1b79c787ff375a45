/**
 * A value given to plant-mock is unusable: an option, an assumption, a fixture, a port.
 * The message says what failed, why, and what to do now; at a terminal it is all that is shown.
 */
export class PlantMockError extends Error {
  override readonly name = 'PlantMockError'
}

/** The address cannot be bound: in use, not of this machine, or not permitted. */
export class AddressError extends PlantMockError {}

/** The problem type that answers a create whose plant could not be written. */
export type StorageProblem = 'insufficient-storage' | 'internal-error'

/** Plants could not be written to their file. Nothing was changed. */
export class StorageError extends PlantMockError {
  readonly problem: StorageProblem

  constructor(message: string, problem: StorageProblem = 'internal-error') {
    super(message)
    this.problem = problem
  }
}

/** The service or mock at an address cannot be reached. */
export class UnreachableError extends PlantMockError {}

/** The reason for which `fetch` failed. The message of Node's error is always `fetch failed`; its cause has the reason. */
export const fetchFailure = (error: unknown): string => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return (cause instanceof Error && (cause.message.trim() || (cause as NodeJS.ErrnoException).code)) || message
}
