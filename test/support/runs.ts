const share = Number(process.env.PROPERTY_RUNS || 0.25)

/** How many cases a property draws: a quarter of `count`, or the share of it that `PROPERTY_RUNS` sets. */
export const runs = (count: number): number => Math.ceil(count * share)
