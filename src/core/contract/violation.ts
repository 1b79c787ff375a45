export const sectionsIn = (citation: string): readonly string[] => citation.match(/[^\s,]+/g) ?? []

export const contractCommand = (citation: string): string => `npx plant-mock contract ${sectionsIn(citation).join(',')}`

export type Violation = {
  /** The section of contract.md, or several such as `2, 4.1`. */
  readonly section: string
  readonly detail: string
  readonly in: 'request' | 'response'
}

/** Limits the number, because a query of 16 kB may have thousands of violations. */
export type ShownViolations = {
  /** The first 20 violations. */
  readonly violations: readonly Violation[]
  /** How many further violations exist; missing for zero. */
  readonly violationsOmitted?: number
}

const maxViolations = 20

export const showViolations = (all: readonly Violation[], omitted = 0): ShownViolations => {
  const violationsOmitted = omitted + Math.max(0, all.length - maxViolations)
  return { violations: all.slice(0, maxViolations), ...(violationsOmitted > 0 && { violationsOmitted }) }
}

export type ViolationFinding = Omit<Violation, 'in'>
