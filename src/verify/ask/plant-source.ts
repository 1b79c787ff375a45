import type { NewPlant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'
import { namePrefix } from '../read/test-request.ts'
import { idCount, type SampleOption } from './sample-options.ts'

type IdRange = { readonly from: number; readonly to: number }

const defaultIds: IdRange = { from: 1_900_000_000, to: 2_147_483_647 }

export const idsOf = ({ id }: SampleOption): IdRange =>
  id === undefined ? defaultIds : { from: id, to: id + idCount - 1 }

const epoch = Date.UTC(2020, 0, 1)
const minute = 60_000
const maxPerRun = 1_000
const minuteDigits = 5
const randomDigits = 2

const keyPattern = new RegExp(
  `^\\s*${namePrefix.replace(' ', '\\s+')}\\s+([0-9a-z]{7})\\s+([a-z]{3}-\\d+)(?:\\s|$)`,
  'i',
)

const keyIn = (text: unknown): string | undefined => {
  const [, run, letters] = (typeof text === 'string' ? keyPattern.exec(text) : undefined) ?? []
  return run === undefined ? undefined : `${run} ${letters}`.toLowerCase()
}

const labelPattern = new RegExp(`^${namePrefix} ([0-9a-z]{7}) ([A-Za-z]{3})-(\\d{1,3})(?: |$)`)

export const runLabelOf = (text: unknown): string | undefined => {
  const [, run] = labelPattern.exec(String(text)) ?? []
  return run && `${namePrefix} ${run}`
}

export type SamplePlantSource = ReturnType<typeof createPlantSource>

/**
 * Makes plants with a label such as `plant-mock check 1qz8fk2 wpa-7`, which encodes the minute in which the check began
 * and the number of the plant. `idOf` computes the id of a listed plant from the label, because lists show no ids.
 */
export const createPlantSource = (random: () => number, now: () => number, given: SampleOption = {}) => {
  const digits = (number: number, length: number) => Math.floor(number).toString(36).padStart(length, '0')
  const run = digits((now() - epoch) / minute, minuteDigits) + digits(random() * 36 ** randomDigits, randomDigits)
  const ids = idsOf(given)
  let count = 0
  let field: 'name' | 'tag' = 'name'

  const withLabel = (label: string): { readonly name: string; readonly tag: string } =>
    field === 'name'
      ? { name: extended(label, given.name), tag: given.tag ?? namePrefix }
      : { name: given.name ?? namePrefix, tag: extended(label, given.tag) }

  const newLabel = (): { readonly label: string; readonly number: number } => {
    const number = count++
    return { label: `${namePrefix} ${run} ${letters(number, random)}-${number}`, number }
  }

  const newPlant = (): NewPlant & { readonly id: number } => {
    const { label, number } = newLabel()
    return { id: idOf(run, number, ids), ...withLabel(label) }
  }

  const labelOf = (element: unknown): string | undefined => {
    const label = isJsonObject(element) ? element[field] : undefined
    return typeof label === 'string' ? label : undefined
  }

  return {
    newPlant,
    labelOf,

    /**
     * @param where `label`: puts the text after the label. `rest`: puts the text into the field without the label.
     * `moved`: like `rest`, but with the label in the other field.
     */
    plantWith(textFor: (id: number) => string, where: 'label' | 'rest' | 'moved'): NewPlant {
      const plant = newPlant()
      const rest = field === 'name' ? 'tag' : 'name'
      const text = textFor(plant.id)
      if (where === 'label') return { ...plant, [field]: `${plant[field]} ${text}` }
      return where === 'rest' ? { ...plant, [rest]: text } : { ...plant, [field]: text, [rest]: plant[field] }
    },

    invalidBody: () => {
      const { label } = newLabel()
      return { name: 1, id: label, tag: label }
    },

    labelTags(): void {
      field = 'tag'
    },

    canLabelTags: given.name !== undefined,

    keyOf(element: unknown): string | undefined {
      const { name, tag } = isJsonObject(element) ? element : {}
      return keyIn(name) ?? keyIn(tag)
    },

    idOf(element: unknown): number | undefined {
      const [, run, , number] = labelPattern.exec(labelOf(element) ?? '') ?? []
      return run === undefined ? undefined : idOf(run, Number(number), ids)
    },
  }
}

const extended = (label: string, text: string | undefined): string => (text === undefined ? label : `${label} ${text}`)

/** Random letters make orders by name and by creation differ. Capitals make orders with and without case differ. */
const letters = (number: number, random: () => number): string => {
  const text = Array.from({ length: 3 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('')
  return number % 2 === 0 ? text : text.charAt(0).toUpperCase() + text.slice(1)
}

const idOf = (run: string, number: number, { from, to }: IdRange): number => {
  const size = to - from + 1
  if (size !== idCount) return from + (spread(run) % (size - maxPerRun)) + (number ^ 1)
  // A step that ends in 3 has no common factor with the 10,000 ids, which prevents repeated ids.
  const step = 3_333 + 10 * (spread(`step ${run}`) % 333)
  return from + ((spread(run) + number * step) % size)
}

const spread = (run: string): number => {
  let hash = 0
  for (const character of run) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0
  return Math.imul(hash, 0x9e3779b1) >>> 1
}
