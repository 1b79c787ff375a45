import { PlantMockError } from '../util/errors.ts'
import type { Values } from './options.ts'

/**
 * Checks the options around `--store`.
 * @throws PlantMockError for options that need it, and for those that it excludes.
 */
export const checkStoreOptions = (values: Values): void => {
  const { store, persist, watch } = values
  if (store === undefined) {
    const dependents = ['store-name', 'store-reset'] as const
    const dependent = dependents.find((name) => values[name])
    if (dependent !== undefined) throw new PlantMockError(`--${dependent} needs --store URL or PLANT_MOCK_STORE.`)
    return
  }
  if (persist !== undefined)
    throw new PlantMockError(
      '--persist and --store exclude each other: each of them holds the plants. Remove one of them.',
    )
  if (watch)
    throw new PlantMockError(
      '--watch and --store exclude each other: a process that starts after a reload would have other fixtures than the shared mock began with. Remove one of them.',
    )
}
