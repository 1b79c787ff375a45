/** 16 Mi characters of bodies and headers for a whole mock. */
const defaultBodyBudget = 16 * 1024 * 1024

/** How much all journals of a mock keep together; where there is more, the oldest bodies give way, whosever they are. */
export type BodyBudget = {
  left: number
  readonly journals: Set<{ readonly oldestBody: () => number; readonly dropOldestBody: () => void }>
}

export const bodyBudget = (): BodyBudget => ({ left: defaultBodyBudget, journals: new Set() })

/** Drops the oldest bodies until what is kept fits again. */
export const makeRoom = (budget: BodyBudget): void => {
  while (budget.left < 0) {
    const [first, ...others] = budget.journals
    if (first === undefined) return
    const oldest = others.reduce((a, b) => (b.oldestBody() < a.oldestBody() ? b : a), first)
    if (oldest.oldestBody() === Number.POSITIVE_INFINITY) return
    oldest.dropOldestBody()
  }
}
