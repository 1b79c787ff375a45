const maxBudgetCharacters = 32 * 1024 * 1024

/** The journal omits a body above this size, because one huge body would evict many others. */
export const maxBodyWeight = maxBudgetCharacters / 8

export type BudgetMember = {
  readonly oldestBody: () => number
  readonly evictOldestBody: () => void
}

export type JournalBudget = { available: number; readonly members: Set<BudgetMember> }

export const journalBudget = (): JournalBudget => ({ available: maxBudgetCharacters, members: new Set() })

export const enforceBudget = (budget: JournalBudget): void => {
  while (budget.available < 0) {
    let oldest: BudgetMember | undefined
    let time = Number.POSITIVE_INFINITY
    for (const member of budget.members) {
      const own = member.oldestBody()
      if (own >= time) continue
      oldest = member
      time = own
    }
    if (oldest === undefined) return
    oldest.evictOldestBody()
  }
}
