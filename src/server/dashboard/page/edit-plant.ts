import type { FixturePlant } from '../../../core/contract/schemas.ts'
import { messageOf } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, checkbox, div, field, form, h, openDialog } from './dom.ts'

/** The new value of each field that differs; `null` removes it. */
type Patch = { [Field in keyof FixturePlant]?: unknown }

/**
 * Opens a dialog that changes or deletes a plant. Callers have pseudonyms; the token of a new one may be entered.
 * @param remove Deletes the plant, and says so.
 */
export const editPlant = (plant: FixturePlant, done: (text: string) => void, remove: () => void): void => {
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

  const save = async (): Promise<void> => {
    try {
      const { changed } = await call<{ changed: number }>('PATCH', 'plants?callers=pseudonyms', {
        plants: [plant],
        patch: patch(),
      })
      if (changed === 0) throw new Error(hasChanged)
      dialog.close()
      done(`Saved ${name.value}.`)
    } catch (error) {
      problem.textContent = messageOf(error)
    }
  }
  const removeAndClose = (): void => {
    dialog.close()
    remove()
  }

  const dialog = openDialog(
    'Edit plant',
    form(
      'add',
      () => void save(),
      field('ID', id),
      field('Name', name),
      field('Tag', tag),
      checkbox('Every caller may access it', everyone),
      field('Callers (pseudonyms, or tokens of new callers)', callers),
      problem,
      div('tools', h('button', { class: 'primary' }, 'Save'), button('Delete', removeAndClose, { class: 'danger' })),
    ),
  )
}

/** Deletes one plant that is equal to this one. @throws Error when there is none any more. */
export const deletePlant = async (plant: FixturePlant): Promise<void> => {
  const { changed } = await call<{ changed: number }>('POST', 'plants/remove?callers=pseudonyms', { plants: [plant] })
  if (changed === 0) throw new Error(hasChanged)
}

const hasChanged = 'This plant has changed in the meantime. Close this, and look at it again.'

export const deleted = ({ name }: FixturePlant): string => `Deleted ${name || 'the plant'}.`

/** The mock says what is wrong with text that is no number. */
const numberOr = (text: string): number | string | null => {
  if (text.trim() === '') return null
  return Number.isFinite(Number(text)) ? Number(text) : text
}
