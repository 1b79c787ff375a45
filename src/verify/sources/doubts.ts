import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import { isJsonObject } from '../../util/json.ts'
import type { Item } from '../read/replay.ts'
import { succeeded } from '../read/response.ts'
import { permittedOrders } from './order.ts'

type Recorded = {
  readonly items: readonly Item[]
  readonly isSanitised: boolean
  /** The values that the exchanges suggest for the point. */
  readonly suggested: readonly (string | number)[]
}

type Doubt = (value: AssumptionValue, recorded: Recorded) => string | undefined

/** Why the recording leaves a point open although one value fits best, by point. */
export const doubts: Readonly<Partial<Record<AssumptionId, Doubt>>> = {
  'body.maxSize': (value, { items }) => {
    const isSeen = (size: number, isTaken: boolean): boolean =>
      items.some(({ sent: { sent }, seen }) => sent?.size === size && (isTaken ? succeeded(seen) : seen.status === 413))
    return typeof value !== 'number' || (isSeen(value, true) && isSeen(value + 1, false))
      ? undefined
      : `${value} fits best, but another maximum fits too`
  },
  'create.duplicateId': (value, { isSanitised }) =>
    // Equal ids of two callers may be two plants.
    isSanitised && value === 'replace'
      ? 'replace fits best, but several callers may have sent the requests'
      : undefined,
  'create.idRange': (value, { items }) =>
    value === 'int32' && !items.some(isNearInt32) ? 'int32 fits best, but no id is near its bounds' : undefined,
  // The number in a value may be only the sample of the registry.
  'create.visibility': (value, { suggested }) =>
    /\d$/.test(String(value)) && !suggested.includes(String(value))
      ? 'the recording ends before a list shows a created plant'
      : undefined,
  'list.order': (value, { items }) => {
    const orders = value === 'shuffled' ? [value] : permittedOrders(items)
    if (orders.length > 1) return `${orders.join(' and ')} fit equally`
    return orders[0] === value ? undefined : 'pairs of plants change their order'
  },
}

/** Whether the id is near a bound of int32. The refusal of a much larger id would fit any maximum. */
const isNearInt32 = ({ request: { json } }: Item): boolean =>
  isJsonObject(json) && Math.abs(Math.log2(Math.abs(Number(json.id))) - 31) <= 1
