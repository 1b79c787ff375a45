import { jsonOrUndefined } from '../../../util/json.ts'
import { messageOf } from '../../../util/words.ts'
import { createPlantAs } from './api.ts'
import { field, form, h } from './dom.ts'
import { say, type View } from './view.ts'

/** The parts of a failure that the form shows: `detail` or, by the assumption `error.body`, `message`. */
type Problem = {
  readonly detail?: string
  readonly message?: string
  readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[]
}

/** Creates plants through the service, and shows its response as any client would get it. */
export const addPlantForm = (load: View['load']): HTMLElement => {
  const id = h('input', { inputmode: 'numeric', autocomplete: 'off' })
  const name = h('input', { autocomplete: 'off' })
  const tag = h('input', { autocomplete: 'off' })
  const token = h('input', { value: 'alice', autocomplete: 'off', spellcheck: 'false' })
  const problems = h('p', { class: 'problem', role: 'alert' })
  const inputs = { id, name, tag }

  const add = async (): Promise<void> => {
    const number = Number(id.value)
    const plant = {
      id: id.value.trim() !== '' && Number.isFinite(number) ? number : id.value,
      name: name.value,
      tag: tag.value,
    }
    for (const input of Object.values(inputs)) input.removeAttribute('aria-invalid')
    const response = await createPlantAs(token.value, plant)
    if (response.ok) {
      problems.textContent = ''
      say(`Added ${name.value}.`)
      id.value = ''
      return load()
    }
    const text = await response.text()
    const { detail, message, errors = [] } = (jsonOrUndefined(text) ?? {}) as Problem
    problems.textContent = `${response.status}: ${detail ?? message ?? text}`
    for (const { pointer } of errors)
      inputs[pointer?.slice(2) as keyof typeof inputs]?.setAttribute('aria-invalid', 'true')
  }

  const submit = () =>
    add().catch((error: unknown) => {
      problems.textContent = messageOf(error)
    })
  return form(
    'add',
    submit,
    h('h2', {}, 'Add a plant'),
    field('ID', id),
    field('Name', name),
    field('Tag', tag),
    field('Caller’s token', token),
    problems,
    h('button', { class: 'primary' }, 'Add'),
  )
}
