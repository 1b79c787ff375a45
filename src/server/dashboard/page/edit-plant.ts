import type { FixturePlant } from '../../../core/contract/schemas.ts'
import { jsonOrUndefined } from '../../../util/json.ts'
import { call, createPlantAs } from './api.ts'
import { button, checkbox, div, failingForm, field, h, openDialog, textInput } from './dom.ts'
import { say, type View } from './view.ts'

const plantInputs = (plant: Partial<FixturePlant> = {}) => {
  const placeholder = plant.name === undefined ? undefined : 'none'
  const id = textInput({ value: plant.id?.toString(), inputmode: 'numeric', placeholder })
  const name = textInput({ value: plant.name })
  const tag = textInput({ value: plant.tag ?? undefined })
  return { id, name, tag, fields: [field('ID', id), field('Name', name), field('Tag', tag)] }
}

/** Keeps text that is not a number: the mock then explains what is wrong. */
const numberOr = (text: string): number | bigint | string => {
  if (text.trim() === '' || !Number.isFinite(Number(text))) return text
  const isLarge = /^\s*-?\d+\s*$/.test(text) && !Number.isSafeInteger(Number(text))
  return isLarge ? BigInt(text) : Number(text)
}

/** The dialog lists callers by pseudonym; the token of a new caller may be entered. */
export const editPlant = (plant: FixturePlant, done: (text: string) => void, remove: () => void): void => {
  const { access } = plant
  const inputs = plantInputs(plant)
  const everyone = h('input', { type: 'checkbox', checked: access === undefined, onchange: () => limit() })
  const callers = textInput({ value: access?.join(', '), placeholder: 'caller-1, alice' })
  const limit = (): void => {
    callers.disabled = everyone.checked
  }
  limit()

  /** Null removes a field. */
  const patch = () => ({
    id: inputs.id.value.trim() === '' ? null : numberOr(inputs.id.value),
    name: inputs.name.value,
    tag: typeof plant.tag !== 'string' && inputs.tag.value === '' ? undefined : inputs.tag.value,
    access: everyone.checked ? null : callers.value.split(/[\s,]+/).filter((name) => name !== ''),
  })

  const save = async (): Promise<void> => {
    await changeOne('PATCH', 'plants', { plants: [plant], patch: patch() })
    dialog.close()
    done(`Saved ${inputs.name.value}.`)
  }
  const removeAndClose = (): void => {
    dialog.close()
    remove()
  }

  const dialog = openDialog(
    'Edit plant',
    failingForm(
      'add',
      save,
      ...inputs.fields,
      checkbox('Every caller may access it', everyone),
      field('Callers (pseudonyms, or tokens of new callers)', callers),
      div('tools', h('button', { class: 'primary' }, 'Save'), button('Delete', removeAndClose, { class: 'danger' })),
    ),
  )
}

/** Deletes one plant that equals `plant`. @throws Error if no equal plant exists any more. */
export const deletePlant = (plant: FixturePlant): Promise<void> =>
  changeOne('POST', 'plants/remove', { plants: [plant] })

const changeOne = async (method: string, path: string, body: object): Promise<void> => {
  const { changed } = await call<{ changed: number }>(method, `${path}?callers=pseudonyms`, body)
  if (changed === 0)
    throw new Error('This plant has changed in the meantime. Close this dialog, and open the plant again.')
}

/** The members of a failure that the form shows: `detail`, or `message` with some values of `error.body`. */
type Problem = { readonly detail?: string; readonly message?: string }

/** Creates plants through the service, and shows its response as a client would get it. */
export const addPlantForm = (load: View['load']): HTMLElement => {
  const { id, name, tag, fields } = plantInputs()
  const token = textInput({ value: 'alice' })

  const add = async (): Promise<void> => {
    const plant = { id: numberOr(id.value), name: name.value, tag: tag.value }
    const response = await createPlantAs(token.value, plant)
    if (!response.ok) {
      const text = await response.text()
      const { detail, message } = (jsonOrUndefined(text) ?? {}) as Problem
      throw new Error(`${response.status}: ${detail ?? message ?? text}`)
    }
    say(`Added ${name.value}.`)
    id.value = ''
    await load()
  }

  return failingForm(
    'add',
    add,
    h('h2', {}, 'Add a plant'),
    ...fields,
    field('Caller’s token', token),
    h('button', { class: 'primary' }, 'Add'),
  )
}
