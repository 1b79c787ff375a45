import { creates } from './rows/creates.ts'
import { failures } from './rows/failures.ts'
import { lists } from './rows/lists.ts'
import { tokens } from './rows/tokens.ts'
import { transport } from './rows/transport.ts'

/**
 * The table of assumptions: every point that contract.md leaves open ("not shown"), the question it raises, the mock's
 * default, and what a sensible service might do instead.
 *
 * Ids and values are public API. A row with a single value is a point that the mock does not vary; it is listed so that
 * the table is complete.
 */
export const rows = { ...creates, ...lists, ...tokens, ...failures, ...transport } as const
