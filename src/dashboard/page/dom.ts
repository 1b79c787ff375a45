type Child = Node | string | number | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>

/**
 * Creates an element. Strings become text nodes, never markup, which prevents script injection by clients of the mock.
 * @param attributes Functions are listeners (`onclick`); `false` and `undefined` leave an attribute out.
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
  element.append(...children.filter((child) => child !== undefined && child !== false).map(asNode))
  return element
}

const asNode = (child: Node | string | number): Node | string =>
  typeof child === 'number' ? String(child) : (child as Node | string)

/** @throws Error when index.html has no element with this id. */
export const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`index.html has no element #${id}.`)
  return element
}

export const button = (text: string, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement =>
  h('button', { type: 'button', ...attributes, onclick }, text)

/** An input inside its label. */
export const field = (label: string, input: HTMLElement): HTMLLabelElement =>
  h('label', { class: 'field' }, h('span', {}, label), input)

export const options = (
  values: readonly (readonly [value: string, text: string])[],
  selected?: string,
): HTMLOptionElement[] => values.map(([value, text]) => h('option', { value, selected: value === selected }, text))

/** Saves JSON text as a file of the user. */
export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url))
}
