import type { Finding, Section } from '../../util/report.ts'
import { plural } from '../../util/words.ts'
import type { Alikeness, Unlikeness } from '../read/alikeness.ts'
import { describeCause } from '../read/cause.ts'

const maxListed = 10

/** A share in percent with one decimal, rounded down: 100 only if nothing differs. */
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.floor((1000 * part) / whole) / 10)

export const alikeText = ({ exchanges, same, heldOut, alike, expected }: Alikeness): string => {
  if (exchanges === 0) return 'Alike: unknown, because nothing was compared.'
  const share = (part: number, whole = exchanges): string => `${Math.floor(percentOf(part, whole))} %`
  const parts = `status ${share(same.status)}, media type ${share(same.type)}, body ${share(same.body)}`
  const ofHeldOut =
    heldOut.exchanges === 0
      ? ''
      : `; of the ${heldOut.exchanges} held-out ones ${share(heldOut.alike, heldOut.exchanges)}`
  const ofFurther = expected === undefined ? '' : `, of further ones about ${Math.floor(100 * expected)} %`
  return `Alike: ${share(alike)} of ${exchanges} exchanges (${parts})${ofHeldOut}${ofFurther}.`
}

export const alikeSections = ({ differences }: Alikeness, verbose: boolean): readonly Section[] => {
  const title = 'Not alike'
  const findings = differences.toSorted((a, b) => b.exchanges - a.exchanges).map(differenceFinding)
  const [shown, hidden] = verbose ? [findings, []] : [findings.slice(0, maxListed), findings.slice(maxListed)]
  const uncovered = differences.filter(({ cause }) => cause.because === 'unknown').length
  const sentences = [
    ...(hidden.length > 0 ? [`And ${plural(hidden.length, 'difference')} more; --reporter json has all.`] : []),
    ...(uncovered > 0
      ? [`No assumption covers ${plural(uncovered, 'difference')}. Report it: npm bugs plant-mock shows where.`]
      : []),
  ]
  return [
    { title, findings: shown, sentences },
    { title, findings: hidden, layout: 'hidden' },
  ]
}

const differenceFinding = ({ section, exchange, differs, cause, exchanges }: Unlikeness): Finding => ({
  name: exchange,
  outcome: 'noted',
  text: differs,
  section,
  effect: `${describeCause(cause)}${exchanges === 1 ? '' : `, ${exchanges} times`}`,
})
