import type { FixturePlant } from '../../contract/schemas.ts'
import { attempting, oncePerBurst } from './actions.ts'
import { ask, createAs } from './api.ts'
import { button, download, field, h, options } from './dom.ts'
import type { View } from './view.ts'

/** Longer lists are searched, not read. */
const mostShown = 500

type Problem = {
  readonly detail?: string
  readonly message?: string
  readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[]
}

export const plantsView = (say: (text: string) => void): View => {
  let plants: readonly FixturePlant[] = []

  const search = h('input', { type: 'search', placeholder: 'name, tag or id', oninput: () => draw() })
  const caller = h('select', { onchange: () => draw() })
  const body = h('tbody')
  const count = h('p', { class: 'quiet', role: 'status' })
  const snapshots = h('ul', { class: 'plain' })
  const fixtures = h('select', {})

  const load = async (): Promise<void> => {
    const [{ plants: all }, { snapshots: names }, { fixtures: shipped }] = await Promise.all([
      ask<{ plants: FixturePlant[] }>('GET', 'plants?callers=pseudonyms'),
      ask<{ snapshots: string[] }>('GET', 'snapshots'),
      ask<{ fixtures: string[] }>('GET', 'fixtures'),
    ])
    plants = all
    if (fixtures.options.length === 0) fixtures.append(...options(shipped.map((name) => [name, name])))
    const callers = [...new Set(plants.flatMap(({ access = [] }) => access))].sort()
    const chosen = callers.includes(caller.value) ? caller.value : ''
    caller.replaceChildren(
      ...options(
        [['', 'everyone’s plants'], ...callers.map((name) => [name, `what ${name} sees`] as const)],
        chosen,
      ),
    )
    snapshots.replaceChildren(...names.map(snapshotRow))
    draw()
  }

  const draw = (): void => {
    const wanted = search.value.trim().toLowerCase()
    const found = plants.filter(
      ({ id, name, tag, access }) =>
        (caller.value === '' || access === undefined || access.includes(caller.value)) &&
        `${id ?? ''} ${name} ${tag}`.toLowerCase().includes(wanted),
    )
    body.replaceChildren(...found.slice(0, mostShown).map(row))
    const shown = found.length > mostShown ? `the first ${mostShown} of ` : ''
    count.textContent = `${shown}${found.length} ${found.length === 1 ? 'plant' : 'plants'}`
  }

  const row = ({ id, name, tag, access }: FixturePlant): HTMLTableRowElement =>
    h(
      'tr',
      {},
      h('td', { class: 'id' }, id ?? '–'),
      h('td', {}, h('bdi', {}, name === '' ? '(empty)' : name)),
      h('td', {}, h('bdi', {}, tag === '' ? '(empty)' : tag)),
      h('td', {}, access === undefined ? 'everyone' : access.join(', ') || 'nobody'),
    )

  const attempt = attempting(say, load)

  const snapshotRow = (name: string): HTMLLIElement =>
    h(
      'li',
      {},
      h('span', { class: 'grow' }, name),
      button(
        'Restore',
        () =>
          void attempt(`Restored ${name}.`, () =>
            ask('POST', `snapshots/${encodeURIComponent(name)}/restore`),
          ),
      ),
      button(
        'Delete',
        () => void attempt(`Deleted ${name}.`, () => ask('DELETE', `snapshots/${encodeURIComponent(name)}`)),
      ),
    )

  const snapshotName = h('input', { required: true, maxlength: 80, placeholder: 'full basket' })
  const snapshotForm = h(
    'form',
    {
      class: 'tools',
      onsubmit: (event) => {
        event.preventDefault()
        const name = snapshotName.value.trim()
        if (name === '') return
        void attempt(`Kept as ${name}.`, () => ask('PUT', `snapshots/${encodeURIComponent(name)}`))
        snapshotName.value = ''
      },
    },
    field('New snapshot', snapshotName),
    h('button', {}, 'Keep'),
  )

  const file = h('input', {
    type: 'file',
    accept: '.json,.ndjson',
    onchange: () => {
      const [chosen] = file.files ?? []
      if (chosen !== undefined)
        void attempt(`Loaded ${chosen.name}.`, async () =>
          ask('PUT', 'plants', { plants: plantsIn(await chosen.text()) }),
        )
      file.value = ''
    },
  })

  const element = h(
    'div',
    { class: 'split' },
    h(
      'div',
      {},
      h('div', { class: 'tools' }, field('Search', search), field('Seen by', caller)),
      h(
        'div',
        { class: 'scroll' },
        h(
          'table',
          { class: 'plants' },
          h(
            'thead',
            {},
            h('tr', {}, ...['Id', 'Name', 'Tag', 'Access'].map((text) => h('th', { scope: 'col' }, text))),
          ),
          body,
        ),
      ),
      count,
    ),
    h(
      'aside',
      { class: 'side' },
      addForm(say, load),
      h('h2', {}, 'Fixtures'),
      h(
        'div',
        { class: 'tools' },
        field('Shipped', fixtures),
        button(
          'Load',
          () => void attempt(`Loaded ${fixtures.value}.`, () => ask('PUT', `fixtures/${fixtures.value}`)),
        ),
      ),
      h('div', { class: 'tools' }, field('A file of yours', file)),
      h(
        'div',
        { class: 'tools' },
        button('Download as fixture', () => download('plants.json', fixtureText(plants))),
        button('Reset', () => void attempt('Back to the start.', () => ask('POST', 'reset'))),
      ),
      h('h2', {}, 'Snapshots'),
      snapshots,
      snapshotForm,
    ),
  )

  return {
    element,
    load,
    requests: oncePerBurst(load),
    change(of) {
      if (of === 'plants') void load()
    },
  }
}

/** What the mock has against a fixture it says itself; here it is only read. */
const plantsIn = (text: string): unknown[] => {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  try {
    const { plants } = JSON.parse(trimmed) as { plants?: unknown }
    if (Array.isArray(plants)) return plants as unknown[]
  } catch {
    // One plant a line, perhaps.
  }
  return trimmed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown)
}

const fixtureText = (plants: readonly FixturePlant[]): string =>
  `${JSON.stringify({ $schema: './node_modules/plant-mock/fixtures/schema.json', plants }, null, 2)}\n`

/** A create like any other, with the answer that any client would get. */
const addForm = (say: (text: string) => void, load: () => Promise<void>): HTMLElement => {
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
    const response = await createAs(token.value, plant)
    if (response.ok) {
      problems.textContent = ''
      say(`Added ${name.value}.`)
      id.value = ''
      await load()
      return
    }
    const text = await response.text()
    const { detail, message, errors = [] } = (parse(text) ?? {}) as Problem
    problems.textContent = `${response.status}: ${detail ?? message ?? text}`
    for (const { pointer } of errors)
      inputs[pointer?.slice(2) as keyof typeof inputs]?.setAttribute('aria-invalid', 'true')
  }

  return h(
    'form',
    {
      class: 'add',
      onsubmit: (event) => {
        event.preventDefault()
        void add().catch((error: Error) => {
          problems.textContent = error.message
        })
      },
    },
    h('h2', {}, 'Add a plant'),
    field('Id', id),
    field('Name', name),
    field('Tag', tag),
    field('As the caller with the token', token),
    problems,
    h('button', {}, 'Add'),
  )
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
