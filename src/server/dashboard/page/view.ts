import { messageOf } from '../../../util/words.ts'
import type { RequestsEvent } from '../../control/events.ts'
import { h } from './dom.ts'

/** One of the views of the page. While it is shown, it receives the events of the mock. */
export type View = {
  readonly element: HTMLElement
  /** Loads and shows the current state. */
  readonly load: () => Promise<void>
  readonly onRequests?: (event: RequestsEvent) => void
  /** Called when the subject of the view has changed, other than by a request to the service. Default: `load`. */
  readonly onChange?: () => void
}

const toast = h('p', { id: 'toast', role: 'status', 'aria-live': 'polite' })
document.body.append(toast)

const toastTimeout = 4_000
let hideTimer: ReturnType<typeof setTimeout> | undefined

/** Shows a message for four seconds. */
export const say = (text: string): void => {
  clearTimeout(hideTimer)
  toast.textContent = text
  toast.classList.add('shown')
  hideTimer = setTimeout(() => toast.classList.remove('shown'), toastTimeout)
}

/** Makes a function that runs an action, shows `done` or the message of its error, and reloads the view. */
export const actionRunner =
  (load: View['load']) =>
  async (done: string, action: () => Promise<unknown>): Promise<void> => {
    try {
      await action()
      say(done)
    } catch (error) {
      say(messageOf(error))
    }
    await load()
  }

const throttleInterval = 300

/** Loads at most once in 300 ms, and once more after the last call, because requests come in bursts. */
export const throttled = (load: View['load']): (() => void) => {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      void load()
    }, throttleInterval)
  }
}
