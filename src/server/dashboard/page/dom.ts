import { noResponse, reasonPhrase } from '../../../core/http/status.ts'
import { messageOf } from '../../../util/words.ts'

export type Child = Node | string | number | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>

/**
 * Creates an element. Strings become text nodes, never markup, so clients of the mock cannot inject scripts.
 * @param attributes Functions are listeners (`onclick`); `false` and `undefined` omit an attribute.
 */
export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  element.append(...nodesOf(children))
  return element
}

/** The children to show; `false` and `undefined` are left out. */
export const nodesOf = (children: readonly Child[]): (Node | string)[] =>
  children
    .filter((child) => child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)))

/** @param name The class of the element; empty for none. */
export const div = (name: string, ...children: readonly Child[]): HTMLDivElement =>
  h('div', { class: name || undefined }, ...children)

/**
 * Replaces the children of an element. The keyboard focus stays, or moves to the new element with the same `data-key`.
 */
export const replaceChildren = (parent: HTMLElement, children: readonly HTMLElement[]): void => {
  const focused = document.activeElement as HTMLElement | null
  const key = focused?.dataset.key
  parent.replaceChildren(...children)
  if (parent.contains(focused)) focused?.focus()
  else if (key !== undefined) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus()
}

/** @throws Error if index.html has no element with this id. */
export const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`index.html has no element #${id}.`)
  return element
}

export const button = (text: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement =>
  h('button', { type: 'button', ...attributes, onclick }, text)

/** An input without the browser's completion and correction. */
export const textInput = (attributes: Attributes = {}): HTMLInputElement =>
  h('input', { autocomplete: 'off', spellcheck: 'false', ...attributes })

export const field = (label: string, input: HTMLElement): HTMLLabelElement =>
  h('label', { class: 'field' }, h('span', {}, label), input)

export const checkbox = (label: string, input: HTMLElement): HTMLLabelElement =>
  h('label', { class: 'check' }, input, label)

/** A form that calls `onsubmit` instead of loading another page. */
export const form = (name: string, onsubmit: () => void, ...children: readonly Child[]): HTMLFormElement => {
  const submit = (event: Event): void => {
    event.preventDefault()
    onsubmit()
  }
  return h('form', { class: name, onsubmit: submit }, ...children)
}

/** A form whose action can fail. The reason appears above the buttons, which are the last child. */
export const failingForm = (
  name: string,
  action: () => Promise<void>,
  ...children: readonly Child[]
): HTMLFormElement => {
  const problem = h('p', { class: 'problem', role: 'alert' })
  const show = (text: string): void => {
    problem.textContent = text
  }
  const submit = () =>
    action().then(
      () => show(''),
      (error: unknown) => show(messageOf(error)),
    )
  return form(name, submit, ...children.slice(0, -1), problem, children.at(-1))
}

/** Opens a modal dialog. Escape and the button close it, and the focus returns to where it was. */
export const openDialog = (title: string, ...children: readonly Child[]): HTMLDialogElement => {
  const id = 'dialog-title'
  const close = () => dialog.close()
  const dialog = h(
    'dialog',
    { class: 'modal', 'aria-labelledby': id, onclose: () => dialog.remove() },
    div('head', h('h2', { id }, title), button('Close', close)),
    ...children,
  )
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** @param columns The heading of each column, which in lower case is also its class. */
export const table = (name: string, columns: readonly string[], body: HTMLElement): HTMLTableElement => {
  const headings = columns.map((text) => h('th', { scope: 'col', class: text.toLowerCase() }, text))
  return h('table', { class: name }, h('thead', {}, h('tr', {}, ...headings)), body)
}

/** @param values Maps the value of each option to its text. */
export const options = (
  values: readonly (string | readonly [value: string, text: string])[],
  selected?: string,
): HTMLOptionElement[] =>
  values.map((entry) => {
    const [value, text] = typeof entry === 'string' ? [entry, entry] : entry
    return h('option', { value, selected: value === selected }, text)
  })

export const download = (name: string, text: Iterable<string>): void => {
  const url = URL.createObjectURL(new Blob([...text], { type: 'application/json' }))
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url))
}

const successes: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' }

/** A status with its reason phrase: `429 Too Many Requests`. */
export const statusText = (status: number): string => {
  if (status === noResponse) return 'none: the connection was reset'
  const phrase = successes[status] ?? reasonPhrase(status)
  return phrase === 'Error' ? String(status) : `${status} ${phrase}`
}
