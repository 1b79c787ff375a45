/**
 * Renders a table with aligned columns.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows Cells; the first column is aligned left, the others right.
 */
export const table = (head, rows) => {
  if (rows.length === 0) return ''
  const lines = [head, ...rows].map((cells) => cells.map(cellText))
  const widths = head.map((_, i) => Math.max(3, ...lines.map((cells) => cells[i]?.length ?? 0)))
  /** @type {(text: string, i: number) => string} */
  const padded = (text, i) => (i === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[i] ?? 0))
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [first = [], ...others] = lines.map((cells) => cells.map(padded))
  return [first, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** @param {string} text */
const cellText = (text) => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
