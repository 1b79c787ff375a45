// perf: a file without imports, because every command of the command line loads this file.

export type SampleOption = {
  readonly name?: string
  readonly tag?: string
  readonly id?: number
}

export const idCount = 10_000

export const isSample = (plant: object): plant is SampleOption =>
  Object.entries(plant).every(([key, value]) =>
    key === 'id'
      ? Number.isSafeInteger(value) && Number.isSafeInteger(value + idCount)
      : (key === 'name' || key === 'tag') && typeof value === 'string',
  )
