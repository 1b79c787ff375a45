import type { Assumption, AssumptionValue } from '../../../core/assumptions/registry.ts'
import { shorten } from '../../../util/text.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, checkbox, div, field, form, h, options, replaceChildren } from './dom.ts'
import { actionRunner, citation, type View } from './view.ts'

type Row = Omit<Assumption, 'meaning' | 'relies'> & {
  readonly value: AssumptionValue
  readonly meaning: string
  readonly provenance?: string
}

const maxShown = 40

export const assumptionsView = (): View => {
  const list = h('div', { class: 'assumptions', onfocusin: (event) => keepPlace(event) })
  const fixed = h('details', { class: 'assumptions' })
  const count = h('p', { class: 'quiet', role: 'status' })
  const search = h('input', { type: 'search', placeholder: 'name or question', oninput: () => draw() })
  const onlyChanged = h('input', { type: 'checkbox', onchange: () => draw() })
  const elements = new Map<string, { readonly text: string; readonly element: HTMLElement }>()
  /** Whether each row is shown as changed, by id. */
  const places = new Map<string, boolean>()
  let editedId: string | undefined
  let rows: readonly Row[] = []

  const load = async (): Promise<void> => {
    rows = (await call<{ registry: Row[] }>('GET', 'assumptions')).registry
    showAddressed()
    draw()
  }

  /** Scrolls to the row of a link such as `#assumptions/list.order`. */
  const showAddressed = (): void => {
    const [, id] = location.hash.split('/')
    if (id === undefined) return
    history.replaceState(null, '', '#assumptions')
    search.value = id
    onlyChanged.checked = false
  }

  /** The edited row stays in its group until another row is edited, although its value changes. */
  const keepPlace = ({ target }: Event): void => {
    editedId = (target as Element).closest<HTMLElement>('article')?.dataset.id
  }

  const isShownAsChanged = (row: Row): boolean => {
    const place = row.id === editedId ? (places.get(row.id) ?? isChanged(row)) : isChanged(row)
    places.set(row.id, place)
    return place
  }

  const draw = (): void => {
    const changed = rows.filter(isChanged)
    const wanted = search.value.trim().toLowerCase()
    const found = (onlyChanged.checked ? changed : rows).filter(({ id, question }) =>
      `${id} ${question}`.toLowerCase().includes(wanted),
    )
    const shownAsChanged = found.filter(isShownAsChanged)
    const others = found.filter((row) => !shownAsChanged.includes(row))
    const grouped = [
      ...group('Changed', shownAsChanged),
      ...[...new Set(others.filter(hasChoice).map(groupOf))].flatMap((name) =>
        group(
          name,
          others.filter((row) => hasChoice(row) && groupOf(row) === name),
        ),
      ),
    ]
    replaceChildren(list, grouped)
    fixed.replaceChildren(
      h('summary', {}, 'Without alternatives'),
      ...others.filter((row) => !hasChoice(row)).map(elementOf),
    )
    fixed.hidden = others.every(hasChoice)
    restoreButton.hidden = changed.length === 0
    count.textContent =
      changed.length === 0
        ? 'All assumptions have their default values.'
        : `${plural(changed.length, 'assumption')} ${changed.length === 1 ? 'differs' : 'differ'} from the default.`
  }

  const group = (name: string, rows: readonly Row[]): HTMLElement[] =>
    rows.length === 0 ? [] : [h('h2', {}, name), ...rows.map(elementOf)]

  /** An unchanged row keeps its element, including text that the user has typed there. */
  const elementOf = (row: Row): HTMLElement => {
    const text = JSON.stringify(row)
    const known = elements.get(row.id)
    if (known?.text === text) return known.element
    const element = rowOf(row)
    elements.set(row.id, { text, element })
    return element
  }

  const run = actionRunner(load)
  const restore = () =>
    run('Restored the defaults.', () =>
      call('PATCH', 'assumptions', Object.fromEntries(rows.map((row) => [row.id, row.default]))),
    )

  const set = (row: Row, value: AssumptionValue) => {
    // Redraws even if the mock refuses the value.
    elements.delete(row.id)
    editedId = row.id
    return run(`${row.id} is now ${value}.`, () => call('PATCH', 'assumptions', { [row.id]: value }))
  }

  const rowOf = (row: Row): HTMLElement => {
    const provenance = row.provenance === 'default' ? undefined : row.provenance
    return h(
      'article',
      { class: isChanged(row) ? 'point changed' : 'point', 'data-id': row.id },
      div('', h('h3', {}, row.id), h('p', {}, row.question)),
      div('choice', ...choiceOf(row, (value) => void set(row, value))),
      div(
        'quiet',
        h('p', {}, row.meaning),
        h('p', {}, citation(row.section), row.rare && ' · rare', provenance && ` · ${provenance}`),
      ),
    )
  }

  const restoreButton = button('Restore defaults', restore)
  const tools = div('tools', field('Search', search), checkbox('Changed only', onlyChanged), restoreButton)
  return { element: div('', tools, count, list, fixed), load }
}

const groupOf = (row: Row): string => row.id.split('.', 1)[0] ?? ''

const isChanged = (row: Row): boolean => row.value !== row.default

const hasChoice = ({ alternatives, further, form }: Row): boolean =>
  alternatives.length + further.length > 0 || form !== undefined

/** A select for the values, and a form for any other value, such as `clamp:50`, if the assumption takes one. */
const choiceOf = (row: Row, set: (value: AssumptionValue) => void): readonly HTMLElement[] => {
  const named: readonly AssumptionValue[] = [row.default, ...row.alternatives, ...row.further]
  const values = [...new Set([...named, row.value])]
  const other = row.form === undefined ? [] : [['other', `${row.form}…`] as const]
  const choice = h(
    'select',
    { 'aria-label': row.id, 'data-key': row.id, disabled: values.length + other.length === 1 },
    ...options([...values.map((value) => [`${value}`, labelOf(value, row)] as const), ...other], `${row.value}`),
  )
  const initial = named.includes(row.value) ? (row.samples[0] ?? row.value) : row.value
  const label = `${row.id}: value`
  const input = h('textarea', { rows: 1, required: true, spellcheck: 'false', 'aria-label': label }, `${initial}`)
  const submit = () => set(/^\d+$/.test(input.value) ? Number(input.value) : input.value)
  const entry = form('parameter', submit, input, h('button', {}, 'Set'))
  const place = div('')
  choice.addEventListener('change', () => {
    const value = values.find((value) => `${value}` === choice.value)
    place.replaceChildren(...(value === undefined ? [entry] : []))
    if (value === undefined) input.focus()
    else set(value)
  })
  return [choice, place]
}

const labelOf = (value: AssumptionValue, row: Row): string =>
  `${shorten(`${value}`, maxShown)}${value === row.default ? ' (default)' : ''}`
