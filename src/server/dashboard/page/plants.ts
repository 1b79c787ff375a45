import type { FixturePlant } from '../../../core/contract/schemas.ts'
import { fixtureText } from '../../../core/fixtures/parse.ts'
import { exactJsonOrUndefined } from '../../../util/exact-json.ts'
import { isJsonObject } from '../../../util/json.ts'
import { shorten } from '../../../util/text.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, div, download, field, form, h, options, table } from './dom.ts'
import { addPlantForm, deletePlant, editPlant } from './edit-plant.ts'
import { actionRunner, isOfUser, maxTextLength, say, throttled, undoableRunner, type View } from './view.ts'

/** Limits the rows, because a longer table would slow down the page. The search finds the other plants. */
const maxShown = 500

export const plantsView = (): View => {
  let plants: readonly FixturePlant[] = []

  const search = h('input', { type: 'search', placeholder: 'name, tag or ID', oninput: () => draw() })
  const caller = h('select', { onchange: () => draw() })
  const body = h('tbody')
  const count = h('p', { class: 'quiet', role: 'status' })
  const noMatch = button('Clear the filters', () => {
    search.value = caller.value = ''
    draw()
  })
  const noPlants = h('p', {}, 'The mock has no plants. Add one, load fixtures, or let your client create one.')
  const snapshots = h('ul', { class: 'plain' })
  const fixtures = h('select')

  const load = async (): Promise<void> => {
    const [{ plants: all }, { snapshots: names }, { fixtures: shipped }] = await Promise.all([
      call<{ plants: FixturePlant[] }>('GET', 'plants?callers=pseudonyms'),
      call<{ snapshots: string[] }>('GET', 'snapshots'),
      call<{ fixtures: string[] }>('GET', 'fixtures'),
    ])
    plants = all
    if (fixtures.options.length === 0) fixtures.append(...options(shipped))
    const callers = [...new Set(plants.flatMap(({ access = [] }) => access))].sort()
    const selected = callers.includes(caller.value) ? caller.value : ''
    caller.replaceChildren(...options([['', 'everyone'], ...callers], selected))
    snapshots.replaceChildren(...names.filter(isOfUser).map(snapshotRow))
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
    noMatch.hidden = found.length > 0 || plants.length === 0
    noPlants.hidden = plants.length > 0
  }

  const run = actionRunner(load)
  const runUndoable = undoableRunner(load)

  const row = (plant: FixturePlant): HTMLTableRowElement => {
    const { id, tag, access } = plant
    const shown = (text: string) => shorten(text, maxTextLength)
    const name = shown(plant.name)
    const remove = () => void runUndoable(`Deleted ${name || 'the plant'}.`, () => deletePlant(plant))
    const saved = (text: string): void => {
      say(text)
      void load()
    }
    const edit = () => editPlant(plant, saved, remove)
    const buttons = [
      button('Edit', edit, { class: 'small', 'aria-label': `Edit ${name}`, 'aria-haspopup': 'dialog' }),
      button('Delete', remove, { class: 'small danger', 'aria-label': `Delete ${name}` }),
    ]
    return h(
      'tr',
      {},
      h('td', { class: 'id' }, id?.toString() ?? '–'),
      h('td', {}, h('bdi', {}, name || '(empty)')),
      h('td', {}, typeof tag !== 'string' ? (tag === null ? 'null' : '–') : h('bdi', {}, shown(tag) || '(empty)')),
      h('td', {}, access === undefined ? 'everyone' : shown(access.join(', ')) || 'nobody'),
      h('td', { class: 'actions' }, ...buttons),
    )
  }

  const snapshotRow = (name: string): HTMLLIElement => {
    const path = snapshotPath(name)
    const restore = button('Restore', () => run(`Restored ${name}.`, () => call('POST', `${path}/restore`)))
    const remove = button('Delete', () => run(`Deleted ${name}.`, () => call('DELETE', path)), { class: 'danger' })
    return h('li', {}, h('span', { class: 'grow' }, name), restore, remove)
  }

  const snapshotName = h('input', { required: true, maxlength: 80, placeholder: 'full garden' })
  const saveSnapshot = () => {
    const name = snapshotName.value.trim()
    if (name === '') return
    void run(`Saved ${name}.`, () => call('PUT', snapshotPath(name)))
    snapshotName.value = ''
  }

  const loadFile = () => {
    const [chosen] = file.files ?? []
    if (chosen !== undefined)
      void run(`Loaded ${chosen.name}.`, async () => call('PUT', 'plants', { plants: plantsIn(await chosen.text()) }))
    file.value = ''
  }
  const file = h('input', { type: 'file', accept: '.json,.ndjson', onchange: loadFile })

  const shown = div(
    '',
    div('tools', field('Search', search), field('Visible to', caller)),
    div('scroll', table('plants', ['ID', 'Name', 'Tag', 'Access', 'Actions'], body)),
    count,
    noMatch,
    noPlants,
  )
  const side = h(
    'aside',
    { class: 'side' },
    addPlantForm(load),
    h('h2', {}, 'Fixtures'),
    div(
      'tools',
      field('Built-in fixtures', fixtures),
      button('Load', () => run(`Loaded ${fixtures.value}.`, () => call('PUT', `fixtures/${fixtures.value}`))),
    ),
    div('tools', field('Fixture file', file)),
    div(
      'tools',
      button('Download as fixture file', () => download('plants.json', fixtureText(plants))),
      button('Reset', () => run('Restored the initial state.', () => call('POST', 'reset'))),
      button('Remove all plants', () => runUndoable('Removed all plants.', () => call('DELETE', 'plants')), {
        class: 'danger',
      }),
    ),
    h('h2', {}, 'Snapshots'),
    snapshots,
    form('tools', saveSnapshot, field('Snapshot name', snapshotName), h('button', {}, 'Save')),
  )
  return { element: div('split', shown, side), load, onRequests: throttled(load) }
}

const snapshotPath = (name: string): string => `snapshots/${encodeURIComponent(name)}`

/**
 * The plants of a fixture file: a JSON object with `plants`, an array, or one plant per line. The mock validates them.
 * @throws SyntaxError for a line that is not JSON.
 */
const plantsIn = (text: string): readonly unknown[] => {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  const file = exactJsonOrUndefined(trimmed)
  if (Array.isArray(file)) return file as readonly unknown[]
  if (isJsonObject(file) && Array.isArray(file.plants)) return file.plants as readonly unknown[]
  const lines = trimmed.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => JSON.parse(line) as unknown)
}
