import type { FixturePlant } from '../../../core/contract/schemas.ts'
import { messageOf } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, checkbox, div, field, form, h, openDialog } from './dom.ts'

/** The new value of each field that differs; `null` removes it. */
type Patch = { [Field in keyof FixturePlant]?: unknown }

/** Opens a dialog that changes or deletes a plant. Callers have pseudonyms; the token of a new one may be entered. */
export const editPlant = (plant: FixturePlant, done: (text: string) => void): void => {
  const { access } = plant
  const id = h('input', { value: plant.id, inputmode: 'numeric', autocomplete: 'off', placeholder: 'none' })
  const name = h('input', { value: plant.name, autocomplete: 'off' })
  const tag = h('input', { value: plant.tag, autocomplete: 'off' })
  const everyone = h('input', { type: 'checkbox', checked: access === undefined, onchange: () => limit() })
  const callers = h('input', {
    value: access?.join(', '),
    placeholder: 'caller-1, alice',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const problem = h('p', { class: 'problem', role: 'alert' })
  const limit = (): void => {
    callers.disabled = everyone.checked
  }
  limit()

  const patch = (): Patch => {
    const names = callers.value.split(/[\s,]+/).filter((name) => name !== '')
    const values = { id: numberOr(id.value), name: name.value, tag: tag.value, access: everyone.checked ? null : names }
    const before: Patch = { ...plant, id: plant.id ?? null, access: access ?? null }
    return Object.fromEntries(
      Object.entries(values).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Patch]),
      ),
    )
  }

  const change = async (text: string, send: () => Promise<{ changed: number }>): Promise<void> => {
    try {
      const { changed } = await send()
      if (changed === 0) throw new Error('This plant has changed in the meantime. Close this, and look at it again.')
      dialog.close()
      done(text)
    } catch (error) {
      problem.textContent = messageOf(error)
    }
  }
  const save = () => {
    void change(`Saved ${name.value}.`, () =>
      call('PATCH', 'plants?callers=pseudonyms', { plants: [plant], patch: patch() }),
    )
  }

  const dialog = openDialog(
    'Edit plant',
    form(
      'add',
      save,
      field('ID', id),
      field('Name', name),
      field('Tag', tag),
      checkbox('Every caller may access it', everyone),
      field('Callers (pseudonyms, or tokens of new callers)', callers),
      problem,
      div(
        'tools',
        h('button', { class: 'primary' }, 'Save'),
        button('Delete', () => change(deleted(plant), () => deletePlant(plant))),
      ),
    ),
  )
}

/** Deletes one plant that is equal to this one. */
export const deletePlant = (plant: FixturePlant): Promise<{ changed: number }> =>
  call('POST', 'plants/remove?callers=pseudonyms', { plants: [plant] })

export const deleted = ({ name }: FixturePlant): string => `Deleted ${name || 'the plant'}.`

/** The mock says what is wrong with text that is no number. */
const numberOr = (text: string): number | string | null => {
  if (text.trim() === '') return null
  return Number.isFinite(Number(text)) ? Number(text) : text
}
