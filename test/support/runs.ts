const share = Number(process.env.PROPERTY_RUNS ?? 1)

/**
 * Returns how many cases a property draws in this project: the source a quarter of `count`, the build seven quarters.
 * A full run draws `2 * count`, and the fast loop stays fast.
 */
export const runs = (count: number): number => (share < 1 ? Math.ceil : Math.floor)(count * share)

/** Of a long table of cases the source runs all, and the build every sixth. */
export const casesOf = <Case>(table: readonly Case[]): readonly Case[] =>
  share < 1 ? table : table.filter((_, index) => index % 6 === 0)
