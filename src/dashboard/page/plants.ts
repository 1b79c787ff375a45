import type { FixturePlant } from '../../contract/schemas.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { plural } from '../../util/words.ts'
import { actionRunner, type Say, throttled } from './actions.ts'
import { addPlantForm } from './add-plant-form.ts'
import { call } from './api.ts'
import { button, download, field, h, options } from './dom.ts'
import type { View } from './view.ts'

/** A longer table slows down the page; the search finds the other plants. */
const maxShown = 500

export const plantsView = (say: Say): View => {
  let plants: readonly FixturePlant[] = []

  const search = h('input', { type: 'search', placeholder: 'name, tag or ID', oninput: () => draw() })
  const caller = h('select', { onchange: () => draw() })
  const body = h('tbody')
  const count = h('p', { class: 'quiet', role: 'status' })
  const snapshots = h('ul', { class: 'plain' })
  const fixtures = h('select', {})

  const load = async (): Promise<void> => {
    const [{ plants: all }, { snapshots: names }, { fixtures: shipped }] = await Promise.all([
      call<{ plants: FixturePlant[] }>('GET', 'plants?callers=pseudonyms'),
      call<{ snapshots: string[] }>('GET', 'snapshots'),
      call<{ fixtures: string[] }>('GET', 'fixtures'),
    ])
    plants = all
    if (fixtures.options.length === 0) fixtures.append(...options(shipped.map((name) => [name, name])))
    const callers = [...new Set(plants.flatMap(({ access = [] }) => access))].sort()
    const selected = callers.includes(caller.value) ? caller.value : ''
    caller.replaceChildren(...options([['', 'anyone'], ...callers.map((name) => [name, name] as const)], selected))
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
    body.replaceChildren(...found.slice(0, maxShown).map(row))
    const shown = found.length > maxShown ? `, showing the first ${maxShown}` : ''
    count.textContent = `${plural(found.length, 'plant')}${shown}`
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

  const run = actionRunner(say, load)

  const snapshotRow = (name: string): HTMLLIElement =>
    h(
      'li',
      {},
      h('span', { class: 'grow' }, name),
      button(
        'Restore',
        () => void run(`Restored ${name}.`, () => call('POST', `snapshots/${encodeURIComponent(name)}/restore`)),
      ),
      button(
        'Delete',
        () => void run(`Deleted ${name}.`, () => call('DELETE', `snapshots/${encodeURIComponent(name)}`)),
      ),
    )

  const snapshotName = h('input', { required: true, maxlength: 80, placeholder: 'full garden' })
  const snapshotForm = h(
    'form',
    {
      class: 'tools',
      onsubmit: (event) => {
        event.preventDefault()
        const name = snapshotName.value.trim()
        if (name === '') return
        void run(`Saved ${name}.`, () => call('PUT', `snapshots/${encodeURIComponent(name)}`))
        snapshotName.value = ''
      },
    },
    field('Name of a new snapshot', snapshotName),
    h('button', {}, 'Save'),
  )

  const file = h('input', {
    type: 'file',
    accept: '.json,.ndjson',
    onchange: () => {
      const [chosen] = file.files ?? []
      if (chosen !== undefined)
        void run(`Loaded ${chosen.name}.`, async () => call('PUT', 'plants', { plants: plantsIn(await chosen.text()) }))
      file.value = ''
    },
  })

  const element = h(
    'div',
    { class: 'split' },
    h(
      'div',
      {},
      h('div', { class: 'tools' }, field('Search', search), field('Visible to', caller)),
      h(
        'div',
        { class: 'scroll' },
        h(
          'table',
          { class: 'plants' },
          h(
            'thead',
            {},
            h('tr', {}, ...['ID', 'Name', 'Tag', 'Access'].map((text) => h('th', { scope: 'col' }, text))),
          ),
          body,
        ),
      ),
      count,
    ),
    h(
      'aside',
      { class: 'side' },
      addPlantForm(say, load),
      h('h2', {}, 'Fixtures'),
      h(
        'div',
        { class: 'tools' },
        field('Shipped fixtures', fixtures),
        button('Load', () => void run(`Loaded ${fixtures.value}.`, () => call('PUT', `fixtures/${fixtures.value}`))),
      ),
      h('div', { class: 'tools' }, field('Fixture file', file)),
      h(
        'div',
        { class: 'tools' },
        button('Download as fixture file', () => download('plants.json', fixtureText(plants))),
        button('Reset', () => void run('Restored the initial state.', () => call('POST', 'reset'))),
      ),
      h('h2', {}, 'Snapshots'),
      snapshots,
      snapshotForm,
    ),
  )

  return {
    element,
    load,
    onRequests: throttled(load),
    onChange(subject) {
      if (subject === 'plants') void load()
    },
  }
}

/**
 * The plants of a fixture file: a JSON object with `plants`, or one plant a line. The mock validates them.
 * @throws SyntaxError for a line that is not JSON.
 */
const plantsIn = (text: string): readonly unknown[] => {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  const file = jsonOrUndefined(trimmed)
  if (isJsonObject(file) && Array.isArray(file.plants)) return file.plants as readonly unknown[]
  return trimmed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown)
}

const fixtureText = (plants: readonly FixturePlant[]): string =>
  `${JSON.stringify({ $schema: './node_modules/plant-mock/fixtures/schema.json', plants }, null, 2)}\n`
