import { styleText } from 'node:util'
import { type Paint, plain } from '../../util/terminal.ts'

/** Skips the stream check of `styleText`, which differs between versions of Node.js. */
const styled: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** Styles text at a terminal, unless `NO_COLOR` is set and not empty (no-color.org) or the terminal is dumb. */
export const paintFor = (
  isTerminal: boolean | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Paint => (isTerminal === true && !environment.NO_COLOR && environment.TERM !== 'dumb' ? styled : plain)
