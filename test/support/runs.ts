const share = Number(process.env.PROPERTY_RUNS || 0.1)

/** `PROPERTY_RUNS` sets the share of `count` that a property runs; the default is a tenth. */
export const runs = (count: number): number => Math.ceil(count * share)
