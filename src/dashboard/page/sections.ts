import type { ContractSection } from '../../contract/sections.ts'
import { call } from './api.ts'
import { button, h } from './dom.ts'

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

/**
 * The sections of a citation such as `4.2, 8` as buttons with the text `contract 4.2`, which open the section's text.
 * @param onError Receives the reason when the sections cannot be loaded.
 */
export const citation = (sections: string, onError: (error: unknown) => void): HTMLElement =>
  h(
    'span',
    {},
    ...sections.split(', ').flatMap((section, index) => [
      index > 0 && ', ',
      button(`contract ${section}`, () => void showSection(section).catch(onError), {
        class: 'link cite',
        'aria-haspopup': 'dialog',
      }),
    ]),
  )

/** Shows a section in a modal dialog. Escape and the button close it, which returns the focus to the citation. */
const showSection = async (section: string): Promise<void> => {
  const found = (await contractSections()).find((other) => other.section === section)
  const heading = h('h2', { id: 'section-title' }, found?.title ?? `Section ${section}`)
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'section-title', onclose: () => dialog.remove() },
    h(
      'div',
      { class: 'head' },
      heading,
      button('Close', () => dialog.close()),
    ),
    h('pre', { tabindex: 0, 'aria-labelledby': 'section-title' }, found?.text ?? 'The contract has no such section.'),
  )
  document.body.append(dialog)
  dialog.showModal()
}
