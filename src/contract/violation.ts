/** A point at which an exchange violates the contract. */
export type Violation = {
  /** The section of contract.md, or several such as `2, 4.1`. */
  readonly section: string
  readonly detail: string
  readonly in: 'request' | 'response'
}

/** A violation before it is known where it was found. */
export type Finding = Omit<Violation, 'in'>
