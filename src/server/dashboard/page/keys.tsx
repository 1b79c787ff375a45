/** @jsxImportSource preact */
import { openDialog } from './parts.tsx'

const keys = [
  ['/', 'Filter or search the view'],
  ['↑ ↓', 'Move in the list of requests'],
  ['Enter', 'Open the request'],
  ['Escape', 'Close the request'],
  ['?', 'Show these keys'],
] as const

/** Acts on keys that are pressed outside of fields and dialogs. */
export const listenToKeys = (): void => {
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea')
    if (isTyping || ctrlKey || metaKey || altKey || document.querySelector('dialog:modal') !== null) return
    if (key === '?') openDialog('Keys', <Keys />)
    else if (key === '/') document.querySelector<HTMLElement>('main input[type=search]')?.focus()
    else return
    // Prevents typing the `/` into the field.
    event.preventDefault()
  })
}

const Keys = () => (
  <dl>
    {keys.map(([key, meaning]) => (
      <>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{meaning}</dd>
      </>
    ))}
  </dl>
)

export const KeyHelp = () => (
  <footer class="keys quiet">
    {keys.map(([key, meaning]) => (
      <span key={key}>
        <kbd>{key}</kbd> {meaning}
      </span>
    ))}
  </footer>
)
