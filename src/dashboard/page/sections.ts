import type { ContractSection } from '../../contract/sections.ts'
import { messageOf } from '../../util/words.ts'
import { call } from './api.ts'
import { button, div, h } from './dom.ts'
import { say } from './view.ts'

let loading: Promise<readonly ContractSection[]> | undefined

/** Loads the sections once; a failure is not kept, so that the next click tries again. */
const contractSections = (): Promise<readonly ContractSection[]> => {
  loading ??= call<{ sections: readonly ContractSection[] }>('GET', 'contract/sections').then(
    ({ sections }) => sections,
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** The sections of a citation such as `4.2, 8` as buttons with the text `contract 4.2`, which open the section's text. */
export const citation = (sections: string): HTMLElement => {
  const buttons = sections.split(', ').map((section) => {
    const show = () => showSection(section).catch((error: unknown) => say(messageOf(error)))
    return button(`contract ${section}`, show, { class: 'link cite', 'aria-haspopup': 'dialog' })
  })
  return h('span', {}, ...buttons.flatMap((button, index) => [index > 0 && ', ', button]))
}

/** Shows a section in a modal dialog. Escape and the button close it, which returns the focus to the citation. */
const showSection = async (section: string): Promise<void> => {
  const found = (await contractSections()).find((other) => other.section === section)
  const heading = h('h2', { id: 'section-title' }, found?.title ?? `Section ${section}`)
  const close = () => dialog.close()
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'section-title', onclose: () => dialog.remove() },
    div('head', heading, button('Close', close)),
    h('pre', { tabindex: 0, 'aria-labelledby': 'section-title' }, found?.text ?? 'The contract has no such section.'),
  )
  document.body.append(dialog)
  dialog.showModal()
}
