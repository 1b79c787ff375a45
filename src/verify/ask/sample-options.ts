// perf: a file of its own, because the command line loads it with every command.

export type SampleOption = {
  readonly name?: string
  readonly tag?: string
  readonly id?: number
}

/** The size of the range of ids that begins at a given first id. All checks of a service share the range. */
export const idCount = 10_000

export const isSample = (plant: object): plant is SampleOption =>
  Object.entries(plant).every(([key, value]) =>
    key === 'id'
      ? Number.isSafeInteger(value) && Number.isSafeInteger(value + idCount)
      : (key === 'name' || key === 'tag') && typeof value === 'string',
  )
