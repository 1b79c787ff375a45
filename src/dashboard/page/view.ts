import type { RequestsEvent } from '../../control/events.ts'

/** One of the views of the page. */
export type View = {
  readonly element: HTMLElement
  /** Shows what is there now. */
  readonly load: () => Promise<void>
  /** Told of new requests while it is shown. */
  readonly requests?: (event: RequestsEvent) => void
  /** Told of what was changed elsewhere: plants, assumptions, faults, requests, coverage. */
  readonly change?: (of: string) => void
}
