import type { LearnedAlike } from '../core/assumptions/file.ts'
import { type JunitCase, renderJunit } from '../util/junit.ts'
import { type Paint, plain, printable, printableJson } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import { describeCause } from './cause.ts'
import type { Alikeness, Difference } from './imitation.ts'

/** How many differences text lists, unless it lists everything. */
const maxListed = 10

/** A share in percent with one decimal, rounded down: 100 only if nothing differs. */
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.floor((1000 * part) / whole) / 10)

const alikePercent = ({ alike, exchanges }: Alikeness): number => percentOf(alike, exchanges)

export const isTooUnlike = (alike: Alikeness | undefined): boolean =>
  alike?.required !== undefined && alikePercent(alike) < alike.required

/** The numbers as a file of `--learn` keeps them. @param date Such as `2026-11-24`. */
export const learnedAlike = (alike: Alikeness, date: string): LearnedAlike => {
  const { exchanges, same, unseen } = alike
  return {
    date,
    exchanges,
    alike: alikePercent(alike),
    status: percentOf(same.status, exchanges),
    mediaType: percentOf(same.type, exchanges),
    body: percentOf(same.body, exchanges),
    unseen: { exchanges: unseen.exchanges, alike: percentOf(unseen.alike, unseen.exchanges) },
  }
}

/** In percent. Checks differ in how often they send a request. */
const maxNoise = 3

/** The numbers to keep: the earlier ones where no share differs by more than that, so that a file seldom changes. */
export const keptAlike = (now: LearnedAlike, before: LearnedAlike | undefined): LearnedAlike => {
  if (before === undefined) return now
  const shares = (all: LearnedAlike) => [all.alike, all.status, all.mediaType, all.body, all.unseen.alike]
  const earlier = shares(before)
  return shares(now).every((share, i) => Math.abs(share - (earlier[i] ?? 0)) <= maxNoise) ? before : now
}

/** How alike service and mock are, in lines: the numbers, then each difference with its cause. */
export const alikeText = (alike: Alikeness, paint: Paint, verbose: boolean): readonly string[] => {
  const { exchanges, same, unseen, differences, required } = alike
  const share = (part: number, whole = exchanges): string => `${Math.floor(percentOf(part, whole))} %`
  if (exchanges === 0) return ['Alike: unknown, because nothing was compared.']
  const parts = `status ${share(same.status)}, media type ${share(same.type)}, body ${share(same.body)}`
  const ofUnseen =
    unseen.exchanges === 0 ? '' : `; of the ${unseen.exchanges} unseen ones ${share(unseen.alike, unseen.exchanges)}`
  const verdict = `Alike: ${share(alike.alike)} of ${exchanges} exchanges (${parts})${ofUnseen}.`
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
  return [isTooUnlike(alike) ? paint('red', `${verdict} At least ${required} % are required.`) : verdict, ...lines]
}

const differenceText = ({ section, exchange, differs, cause, exchanges }: Difference, paint: Paint): string => {
  const count = exchanges === 1 ? '' : `, ${exchanges} times`
  return `  ${section}  ${printable(exchange)}   ${printable(differs)}  (${paint('yellow', printable(describeCause(cause)))}${count})`
}

/** Renders the comparison alone. @param format As for `renderConformance`. */
export const renderAlike = (
  alike: Alikeness,
  format: 'text' | 'json' | 'junit' = 'text',
  paint = plain,
  verbose = false,
): string => {
  if (format === 'json') return `${printableJson(alike, 2)}\n`
  if (format === 'junit') return renderJunit([{ name: 'imitation', cases: [alikeCase(alike)] }])
  return `${alikeText(alike, paint, verbose).join('\n')}\n`
}

export const alikeCase = (alike: Alikeness): JunitCase => {
  const [verdict = '', ...lines] = alikeText(alike, plain, true)
  return {
    classname: 'imitation',
    name: 'alike',
    ...(isTooUnlike(alike)
      ? { failure: { message: verdict, text: lines.join('\n') } }
      : { output: [verdict, ...lines].join('\n') }),
  }
}
