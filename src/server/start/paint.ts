import { styleText } from 'node:util'
import { type Paint, plain } from '../../util/terminal.ts'

const styled: Paint = (style, text) => styleText(style, text, { validateStream: false })

export const paintFor = (
  isTerminal: boolean | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Paint => (isTerminal === true && !environment.NO_COLOR && environment.TERM !== 'dumb' ? styled : plain)
