import type { Assumptions } from './registry.ts'

/** The largest body of a create, in bytes (`body.maxSize`). */
export const maxBodySize = (assumptions: Pick<Assumptions, 'body.maxSize'>): number => {
  const size = assumptions['body.maxSize']
  return typeof size === 'number' ? size : sizes[size]
}

/** In bytes. Even `none` has a limit, because the mock holds a body in memory. */
const sizes = { '1MiB': 1024 * 1024, '16KiB': 16 * 1024, none: 256 * 1024 * 1024 }

export const smallBody = sizes['16KiB']
