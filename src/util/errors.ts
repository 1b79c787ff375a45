/**
 * Something given to plant-mock cannot be used: an option, an assumption, a fixture, a port.
 * The message says what, why, and what to do now; at a terminal it is all that is shown.
 */
export class PlantMockError extends Error {
  override readonly name = 'PlantMockError'
}

/** The address cannot be bound: taken, not ours, or not allowed. */
export class AddressError extends PlantMockError {}

/** What a failure to write plants is answered with. */
export type StorageProblem = 'insufficient-storage' | 'internal-error'

/** Plants could not be written where they are kept. Everything is as it was. */
export class StorageError extends PlantMockError {
  readonly problem: StorageProblem

  constructor(message: string, problem: StorageProblem = 'internal-error') {
    super(message)
    this.problem = problem
  }
}

/** The service to check cannot be reached at all. */
export class UnreachableError extends PlantMockError {}
