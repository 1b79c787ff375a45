import type { Assumptions } from '../assumptions/registry.ts'

/** The largest request body, in bytes, that an adapter passes to the service (`body.maxSize`). */
export const maxBodySize = (assumptions: Pick<Assumptions, 'body.maxSize'>): number =>
  sizes[assumptions['body.maxSize']]

const sizes: Readonly<Record<Assumptions['body.maxSize'], number>> = {
  '1MiB': 1024 * 1024,
  '16KiB': 16 * 1024,
}
