import type { JunitCase } from '../../util/junit.ts'
import { type Paint, plain, printable } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { describeCause } from '../read/cause.ts'
import type { Alikeness, Unlikeness } from '../read/imitation.ts'

/** How many differences text lists, unless it lists everything. */
const maxListed = 10

/** A share in percent with one decimal, rounded down: 100 only if nothing differs. */
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.floor((1000 * part) / whole) / 10)

/** How alike service and mock are, in lines: the numbers, then each difference with its cause. */
export const alikeText = (alike: Alikeness, paint: Paint, verbose: boolean): readonly string[] => {
  const { exchanges, same, unseen, differences } = alike
  const share = (part: number, whole = exchanges): string => `${Math.floor(percentOf(part, whole))} %`
  if (exchanges === 0) return ['Alike: unknown, because nothing was compared.']
  const parts = `status ${share(same.status)}, media type ${share(same.type)}, body ${share(same.body)}`
  const ofUnseen =
    unseen.exchanges === 0 ? '' : `; of the ${unseen.exchanges} unseen ones ${share(unseen.alike, unseen.exchanges)}`
  const ofFurther = alike.expected === undefined ? '' : `, of further ones about ${Math.floor(100 * alike.expected)} %`
  const verdict = `Alike: ${share(alike.alike)} of ${exchanges} exchanges (${parts})${ofUnseen}${ofFurther}.`
  const sorted = differences.toSorted((a, b) => b.exchanges - a.exchanges)
  const shown = verbose ? sorted : sorted.slice(0, maxListed)
  const hidden = sorted.length - shown.length
  const uncovered = differences.filter(({ cause }) => cause.because === 'unknown')
  const lines = shown.map((difference) => differenceText(difference, paint))
  if (hidden > 0) lines.push(`  And ${plural(hidden, 'difference')} more; --reporter json has all.`)
  if (uncovered.length > 0)
    lines.push(
      `No assumption covers ${plural(uncovered.length, 'difference')}. Report it: npm bugs plant-mock shows where.`,
    )
  return [verdict, ...lines]
}

const differenceText = ({ section, exchange, differs, cause, exchanges }: Unlikeness, paint: Paint): string => {
  const count = exchanges === 1 ? '' : `, ${exchanges} times`
  return `  ${section}  ${printable(exchange)}   ${printable(differs)}  (${paint('yellow', printable(describeCause(cause)))}${count})`
}

export const alikeCase = (alike: Alikeness): JunitCase => ({
  classname: 'imitation',
  name: 'alike',
  output: alikeText(alike, plain, true).join('\n'),
})
