import { PlantMockError } from '../util/errors.ts'

/** The store of `--store` cannot be used, or its mock began with other options: no error of usage, but a failure. */
export class SharedStoreError extends PlantMockError {}
