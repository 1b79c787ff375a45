import type { Paint } from '../util/terminal.ts'
import { printable } from '../util/terminal.ts'
import type { Difference } from '../vary/shadows/difference.ts'

/** The lines of an exchange in a report: the request, and the response as it was and as it is. */
export const exchangeText = ({ request, diff }: Difference, paint: Paint): readonly string[] => [
  `    ${printable(request)}`,
  ...diff.map((line) => {
    const text = `      ${printable(line)}`
    return line.startsWith('-') ? paint('red', text) : line.startsWith('+') ? paint('green', text) : text
  }),
]
