import type { ContractSection } from '../../../core/contract/sections.ts'
import { messageOf } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, h, openDialog } from './dom.ts'
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
    const show = (): void => void showSection(section).catch((error: unknown) => say(messageOf(error)))
    return button(`contract ${section}`, show, { class: 'link cite', 'aria-haspopup': 'dialog' })
  })
  return h('span', {}, ...buttons.flatMap((button, index) => [index > 0 && ', ', button]))
}

/** Shows a section; a rule such as 4.2.1 is marked in the text of its section. */
const showSection = async (section: string): Promise<void> => {
  const sections = await contractSections()
  const textOf = (wanted: string) => sections.find((other) => other.section === wanted)
  const found = textOf(section)
  const whole = textOf(section.slice(0, section.lastIndexOf('.')))
  const [before = '', after] = whole === undefined || found === undefined ? [] : whole.text.split(found.text)
  const marked = after === undefined ? [found?.text] : [before, h('mark', {}, found?.text), after]
  const text = h('pre', { tabindex: 0, 'aria-label': 'Text of the contract' }, ...marked)
  openDialog(found?.title ?? `Section ${section}`, found === undefined ? 'The contract has no such section.' : text)
  text.querySelector('mark')?.scrollIntoView({ block: 'center' })
}
