import type { ChangeEvent, RequestsEvent } from '../../control/events.ts'

/** One of the views of the page. While it is shown, it receives the events of the mock. */
export type View = {
  readonly element: HTMLElement
  /** Loads and shows the current state. */
  readonly load: () => Promise<void>
  readonly onRequests?: (event: RequestsEvent) => void
  readonly onChange?: (subject: ChangeEvent['subject']) => void
}
