const share = Number(process.env.PROPERTY_RUNS ?? 1)

/**
 * Returns how many cases a property draws in this project: the source a quarter of `count`, the build seven quarters.
 * A full run draws `2 * count`, and the fast loop stays fast.
 */
export const runs = (count: number): number => (share < 1 ? Math.ceil : Math.floor)(count * share)
