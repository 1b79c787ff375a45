/** @jsxImportSource preact */

const keys = [
  ['/', 'Filter or search the view'],
  ['↑ ↓', 'Move in the list of requests'],
  ['Enter', 'Open the request'],
  ['Escape', 'Close the request'],
  ['u', 'Undo what the message says'],
] as const

export const listenToKeys = (): void => {
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea')
    if (isTyping || ctrlKey || metaKey || altKey || document.querySelector('dialog:modal')) return
    if (key === 'u') document.querySelector<HTMLElement>('#toast button')?.click()
    if (key !== '/') return
    document.querySelector<HTMLElement>('main input[type=search]')?.focus()
    // Prevents typing the `/` into the field.
    event.preventDefault()
  })
}

export const KeyHelp = () => (
  <footer class="keys quiet">
    {keys.map(([key, meaning]) => (
      <span key={key}>
        <kbd>{key}</kbd> {meaning}
      </span>
    ))}
  </footer>
)
