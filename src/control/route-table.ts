import { routes } from './routes.ts'

/** The routes as a Markdown table with aligned columns, for the guide of the control interface. */
export const routeTable = (): string => {
  const rows = [
    ['route', 'description'],
    ...routes.map(({ method, path, summary }) => [`\`${method} ${path}\``, summary]),
  ] as const
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |\n`
  const [head = [], ...body] = rows
  return [line(head), line(['', ''], '-'), ...body.map((row) => line(row))].join('')
}
