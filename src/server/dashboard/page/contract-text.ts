import { type Child, div, h } from './dom.ts'

/**
 * Renders the Markdown of the contract as elements: tables, lists, code and paragraphs. Text becomes text nodes, never
 * markup.
 */
export const contractText = (markdown: string): HTMLElement => {
  const blocks = markdown.trim().split(/\n\n+/)
  return div('contract', ...blocks.map(blockOf))
}

const blockOf = (block: string): Child => {
  const lines = block.split('\n')
  const [first = ''] = lines
  if (first.startsWith('|')) return tableOf(lines)
  const heading = /^#+ (.*)/.exec(first)
  if (heading !== null) return h('h3', {}, ...inline(heading[1] ?? ''))
  if (/^(?:-|\d+\.) /.test(first)) {
    const start = /^(\d+)\. /.exec(first)?.[1]
    const items = lines.map((line) => h('li', {}, ...inline(line.replace(/^(?:-|\d+\.) /, ''))))
    return start === undefined ? h('ul', {}, ...items) : h('ol', { start }, ...items)
  }
  if (!first.startsWith('```')) return h('p', {}, ...inline(lines.join(' ')))
  const code = lines.filter((line) => !line.startsWith('```')).join('\n')
  return h('pre', { tabindex: 0, 'aria-label': 'Code of the contract' }, code)
}

const tableOf = ([head = '', , ...rows]: readonly string[]): HTMLElement => {
  const cellsOf = (row: string) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim()))
  return h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...cellsOf(head).map((cell) => h('th', { scope: 'col' }, ...cell)))),
    h('tbody', {}, ...rows.map((row) => h('tr', {}, ...cellsOf(row).map((cell) => h('td', {}, ...cell))))),
  )
}

/** Code and bold text. */
const inline = (text: string): Child[] =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return h('code', {}, part.slice(1, -1))
    return part.startsWith('**') ? h('strong', {}, part.slice(2, -2)) : part
  })
