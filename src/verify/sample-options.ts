/** How many ids a check may need. */
export const minIds = 2_000

export const isIdRange = ({ from, to }: { readonly from: number; readonly to: number }): boolean =>
  Number.isSafeInteger(from) && Number.isSafeInteger(to) && to - from + 1 >= minIds

/** Whether a plant has nothing but a name and a tag, or one of them. */
export const isSample = (plant: object): plant is { readonly name?: string; readonly tag?: string } =>
  Object.entries(plant).every(([key, value]) => (key === 'name' || key === 'tag') && typeof value === 'string')
