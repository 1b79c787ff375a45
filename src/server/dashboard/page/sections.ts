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
  const parent = textOf(section.slice(0, section.lastIndexOf('.')))
  const whole = found !== undefined && parent?.text.includes(found.text) ? parent : found
  const parts = whole === undefined ? ['The contract has no such section.'] : rendered(whole.text, found?.text)
  const text = h(
    'div',
    { class: 'contract', tabindex: 0, role: 'document', 'aria-label': 'Text of the contract' },
    ...parts,
  )
  openDialog(found?.title ?? `Section ${section}`, text)
  text.querySelector('mark')?.scrollIntoView({ block: 'center' })
}

/**
 * The Markdown of contract.md as elements: paragraphs, lists, tables, and code in sentences.
 * @param marked The text of the list item to mark.
 */
const rendered = (markdown: string, marked: string | undefined): HTMLElement[] =>
  markdown.split(/\n{2,}/).map((block) => {
    const lines = block.split('\n')
    const items = lines.map((line) => /^(?:\d+\.|-) (.+)$/.exec(line)?.[1])
    if (items.every((item) => item !== undefined))
      return h(
        lines[0]?.startsWith('-') ? 'ul' : 'ol',
        {},
        ...items.map((item) => h('li', {}, ...(item === marked ? [h('mark', {}, ...inline(item))] : inline(item)))),
      )
    if (!lines.every((line) => line.startsWith('|'))) return h('p', {}, ...inline(block))
    const [head = [], , ...rows] = lines.map((line) => line.split('|').slice(1, -1))
    const cells = (tag: 'th' | 'td', texts: readonly string[]) =>
      h('tr', {}, ...texts.map((text) => h(tag, {}, ...inline(text.trim()))))
    return h('table', {}, h('thead', {}, cells('th', head)), h('tbody', {}, ...rows.map((row) => cells('td', row))))
  })

const inline = (text: string): (HTMLElement | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part))
