import type { Finding, Section } from '../../util/report.ts'
import { plural } from '../../util/words.ts'
import type { Alikeness, Unlikeness, UnlikenessCause } from '../read/imitation.ts'

const maxListed = 10

export const alikeText = ({ exchanges, same, heldOut, alike, expected }: Alikeness): string => {
  if (exchanges === 0) return 'Alike: unknown, because nothing was compared.'
  // Rounded down: 100 % only if nothing differs.
  const share = (part: number, whole = exchanges): string => `${Math.floor((100 * part) / whole)} %`
  const parts = `status ${share(same.status)}, media type ${share(same.type)}, body ${share(same.body)}`
  const ofHeldOut =
    heldOut.exchanges === 0
      ? ''
      : `; of the ${heldOut.exchanges} held-out ones ${share(heldOut.alike, heldOut.exchanges)}`
  const ofFurther = expected === undefined ? '' : `, of further ones about ${share(expected, 1)}`
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

const describeCause = (cause: UnlikenessCause): string => {
  if (cause.because === 'rule') return `the service breaks ${cause.id}`
  if (cause.because === 'plants') return 'plants that the check did not create'
  if (cause.because === 'unknown') return 'no assumption covers it'
  return cause.because === 'assumption' ? cause.id : `${cause.id} is ${cause.because}`
}
