import type { ContractSection } from '../../../core/contract/sections.ts'
import { shorten } from '../../../util/text.ts'
import { messageOf } from '../../../util/words.ts'
import type { RequestsEvent } from '../../control/events.ts'
import { call } from './api.ts'
import { contractText } from './contract-text.ts'
import { button, h, openDialog } from './dom.ts'

export type View = {
  readonly element: HTMLElement
  readonly load: () => Promise<void>
  readonly onRequests?: (event: RequestsEvent) => void
  readonly onChange?: () => void
}

const toast = h('p', { id: 'toast', role: 'status', 'aria-live': 'polite' })
document.body.append(toast)

const toastTimeout = 4_000
const undoTimeout = 10_000
let hideTimer: ReturnType<typeof setTimeout> | undefined
let hide = (): void => undefined

/** In characters: a longer name would push everything else off the screen. */
export const maxTextLength = 500

/** Shows a message for four seconds, or for ten seconds with an undo button. */
export const say = (text: string, undo?: { readonly run: () => void; readonly expired: () => void }): void => {
  clearTimeout(hideTimer)
  hide()
  hide = () => {
    hide = () => undefined
    toast.classList.remove('shown')
    undo?.expired()
  }
  const runUndo = (): void => {
    undo?.run()
    undo = undefined
    hide()
  }
  toast.replaceChildren(
    shorten(text, maxTextLength),
    ...(undo === undefined ? [] : [' ', button('Undo', runUndo, { class: 'small' })]),
  )
  toast.classList.add('shown')
  hideTimer = setTimeout(() => hide(), undo === undefined ? toastTimeout : undoTimeout)
}

/** Runs an action; if it fails, shows the error. */
export const attempt = (action: () => Promise<void>): Promise<void> =>
  action().catch((error: unknown) => say(messageOf(error)))

/**
 * Runs an action, and reloads the view even if the action failed. On success, calls the function that the action
 * returned, which shows the result.
 */
const runAndReload = (load: View['load'], action: () => Promise<() => void>): Promise<void> =>
  attempt(async () => {
    const showResult = await action().finally(load)
    showResult()
  })

/** Makes a function that runs an action, reloads the view, and shows `done` or the error. */
export const actionRunner =
  (load: View['load']) =>
  (done: string, action: () => Promise<unknown>): Promise<void> =>
    runAndReload(load, async () => {
      await action()
      return () => say(done)
    })

/** The snapshots of undo buttons, which the list of snapshots hides. */
const kept = new Set<string>()
export const isOfUser = (snapshot: string): boolean => !kept.has(snapshot)

/**
 * Like `actionRunner`, for an action that removes plants: takes a snapshot first. The undo button restores it; when the
 * message disappears, the snapshot is deleted.
 */
export const undoableRunner = (load: View['load']): ReturnType<typeof actionRunner> => {
  const run = actionRunner(load)
  return (done, action) =>
    runAndReload(load, async () => {
      const { name } = await call<{ name: string }>('POST', 'snapshots')
      const path = `snapshots/${encodeURIComponent(name)}`
      kept.add(name)
      const expired = () => call('DELETE', path).catch(() => undefined)
      const restore = async (): Promise<void> => {
        await call('POST', `${path}/restore`)
        await expired()
      }
      await action()
      return () => say(done, { run: () => void run('Undone.', restore), expired })
    })
}

const throttleInterval = 300

/** Throttles a burst of calls: loads once, 300 ms after the first call. */
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

/**
 * The sections of a citation such as `4.2, 8`, as buttons with the text `contract 4.2` that open the section's text.
 */
export const citation = (sections: string): HTMLElement => {
  const buttons = sections.split(', ').map((section) => {
    return button(`contract ${section}`, () => attempt(() => showSection(section)), {
      class: 'link cite',
      'aria-haspopup': 'dialog',
    })
  })
  return h('span', {}, ...buttons.flatMap((button, index) => [index > 0 && ', ', button]))
}

/** Shows a section, or a rule such as 4.2.1, with its text from contract.md. */
const showSection = async (section: string): Promise<void> => {
  const { sections } = await call<{ sections: readonly ContractSection[] }>('GET', 'contract/sections')
  const { title, text } = sections.find((other) => other.section === section) ?? {
    title: `Section ${section}`,
    text: 'The contract has no such section.',
  }
  openDialog(title, contractText(text))
}
