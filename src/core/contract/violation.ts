export const sectionsIn = (citation: string): readonly string[] => citation.match(/[^\s,]+/g) ?? []

export const contractCommand = (citation: string): string => `npx plant-mock contract ${sectionsIn(citation).join(',')}`

export type Violation = {
  /** A section of contract.md, or several: `2, 4.1`. */
  readonly section: string
  readonly detail: string
  readonly in: 'request' | 'response'
}

export type ShownViolations = {
  readonly violations: readonly Violation[]
  readonly violationsOmitted?: number
}

/** A query of 16 kB can cause thousands of violations. Only the first 20 are shown. */
const maxViolations = 20

export const showViolations = (all: readonly Violation[], omitted = 0): ShownViolations => {
  const violationsOmitted = omitted + Math.max(0, all.length - maxViolations)
  return { violations: all.slice(0, maxViolations), ...(violationsOmitted > 0 && { violationsOmitted }) }
}

export type ViolationFinding = Omit<Violation, 'in'>
