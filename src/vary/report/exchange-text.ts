import { type Paint, printable } from '../../util/terminal.ts'
import type { ChangedExchange } from '../evidence/changed-exchange.ts'

/** The lines of an exchange in a report: the request, and the response before and after the change. */
export const exchangeText = ({ request, diff }: ChangedExchange, paint: Paint): readonly string[] => [
  printable(request),
  ...diff.map((line) => {
    const text = `  ${printable(line)}`
    return line.startsWith('-') ? paint('red', text) : line.startsWith('+') ? paint('green', text) : text
  }),
]
