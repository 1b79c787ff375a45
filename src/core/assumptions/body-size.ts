import type { Assumptions } from './registry.ts'

/** The largest body of a create, in bytes (`body.maxSize`). */
export const maxBodySize = (assumptions: Pick<Assumptions, 'body.maxSize'>): number => {
  const size = assumptions['body.maxSize']
  return typeof size === 'number' ? size : sizes[size]
}

/** The mock holds a body in memory, so it has a limit of its own even for `none`. */
const sizes = { '1MiB': 1024 * 1024, '16KiB': 16 * 1024, none: 256 * 1024 * 1024 }

/** The size up to which no limit in the registry refuses a body, in bytes. */
export const smallBody = sizes['16KiB']
