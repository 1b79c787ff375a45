/**
 * Something given to plant-mock cannot be used: an option, an assumption, a fixture, a port.
 * The message says what, why, and what to do now; at a terminal it is all that is shown.
 */
export class PlantMockError extends Error {
  override readonly name = 'PlantMockError'
}

/** The address cannot be bound: taken, not ours, or not allowed. */
export class AddressError extends PlantMockError {}

/** The service to check cannot be reached at all. */
export class UnreachableError extends PlantMockError {}
