import { bases, decidesPart, isForm } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  parseValue,
} from '../../core/assumptions/registry.ts'
import { maxLimitOf } from '../../core/operations/limit.ts'
import { areSameForms } from './failure-form.ts'
import type { ProbeFinding } from './finding.ts'

const namedForms: readonly AssumptionValue[] = ['problem', 'json', 'text', 'empty', 'html']

/** The value that fits. If several fit, the value that includes the other ones, with its scope. */
export const choose = (
  id: AssumptionId,
  fitting: readonly AssumptionValue[],
  assume: Assumptions,
  estimated: readonly (string | number)[],
): ProbeFinding | undefined => {
  const [first] = fitting
  if (first === undefined || fitting.length === 1) return first
  const find = (value: AssumptionValue | undefined) => fitting.find((one) => one === value)
  if (isForm(id)) {
    const base = bases.get(id)
    const preferred = [...(base === undefined ? [] : [assume[base]]), ...namedForms, ...estimated]
    const areSame = fitting.every((value) => areSameForms(String(value), String(first)))
    return preferred.map((value) => find(value)).find((one) => one !== undefined) ?? (areSame ? first : undefined)
  }
  if (decidesPart(id, 'type')) return find(parseValue(id, String(estimated[0])))
  const values = fitting.map(String).sort()
  if (values.join() === 'conflict,conflict-everywhere') return { value: 'conflict', evidence: 'one caller' }
  // A plant without a tag is shown with null too, so both are the same.
  if (values.join() === 'absent,null') return 'absent'
  const longest = Math.max(0, ...estimated.map((one) => Number(/^(?:clamp:)?(\d+)$/.exec(String(one))?.[1] ?? 0)))
  const isUnlimited = values.every(
    (value) => value === 'none' || /^(?:clamp(?::\d+)?|reject(?::\d+)?|\d+)$/.test(value),
  )
  // A list of the maximum length shows no default limit of this or a larger length.
  const isClamped = assume['list.maxLimit'].startsWith('clamp')
  const isCut = id === 'list.defaultLimit' && isClamped && longest >= maxLimitOf(assume)
  return decidesPart(id, 'length') && longest > 0 && isUnlimited && !isCut && find('none') !== undefined
    ? { value: 'none', upTo: longest }
    : undefined
}
