import type { Assumptions } from '../assumptions/registry.ts'

/** So much of a body is held to be looked at on its way from or to somewhere else, in bytes. */
export const mostHeld = 16 * 1024 * 1024

/** The largest request body, in bytes, that an adapter hands over (`body.maxSize`). */
export const bodyLimit = (assumptions: Pick<Assumptions, 'body.maxSize'>): number =>
  ({ '1MiB': 1024 * 1024, '16KiB': 16 * 1024 })[assumptions['body.maxSize']]
