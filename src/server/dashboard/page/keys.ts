import { h, openDialog } from './dom.ts'

const keys = [
  ['/', 'Filter or search the view'],
  ['↑ ↓', 'Move in the list of requests'],
  ['Enter', 'Open the request'],
  ['Escape', 'Close the request'],
  ['?', 'Show these keys'],
] as const

/** Calls back for keys that are pressed outside of fields and dialogs. */
export const listenToKeys = (main: HTMLElement): void => {
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea')
    if (isTyping || ctrlKey || metaKey || altKey || document.querySelector('dialog:modal') !== null) return
    if (key === '?') showKeys()
    else if (key === '/') main.querySelector<HTMLElement>('input[type=search]')?.focus()
    else return
    // Prevents typing the `/` into the field.
    event.preventDefault()
  })
}

const showKeys = (): void => {
  const rows = keys.flatMap(([key, meaning]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, meaning)])
  openDialog('Keys', h('dl', {}, ...rows))
}
