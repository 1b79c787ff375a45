const share = Number(process.env.PROPERTY_RUNS || 0.1)

/** How many cases a property draws: a tenth of `count`, or the share of it that `PROPERTY_RUNS` sets, such as a quarter in `.ci/run`. */
export const runs = (count: number): number => Math.ceil(count * share)
