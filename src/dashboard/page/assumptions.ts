import type { Assumption, AssumptionValue } from '../../assumptions/registry.ts'
import { plural, shorten } from '../../util/words.ts'
import { call } from './api.ts'
import { button, checkbox, div, field, h, options } from './dom.ts'
import { citation } from './sections.ts'
import { actionRunner, type View } from './view.ts'

/** A row of `GET /assumptions`. */
type Row = Omit<Assumption, 'meaning' | 'relies'> & {
  readonly value: AssumptionValue
  readonly meaning: string
  readonly provenance?: string
}

/** How many characters of a value the list of choices shows. */
const maxShown = 40

export const assumptionsView = (): View => {
  const list = div('assumptions')
  const count = h('p', { class: 'quiet', role: 'status' })
  const seed = h('input', { value: '1', inputmode: 'numeric', size: 6 })
  const onlyChanged = h('input', { type: 'checkbox', onchange: () => draw() })
  let rows: readonly Row[] = []

  const load = async (): Promise<void> => {
    rows = (await call<{ registry: Row[] }>('GET', 'assumptions')).registry
    draw()
  }

  const draw = (): void => {
    const changed = rows.filter(isChanged)
    const focused = document.activeElement?.getAttribute('data-id')
    list.replaceChildren(...(onlyChanged.checked ? changed : rows).map(rowOf))
    count.textContent =
      changed.length === 0
        ? 'All assumptions have their default values.'
        : `${plural(changed.length, 'assumption')} ${changed.length === 1 ? 'differs' : 'differ'} from the default.`
    // The rows are new elements: the keyboard focus moves to the new select of the same assumption.
    if (focused) list.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus()
  }

  const run = actionRunner(load)
  const vary = () =>
    run(`All assumptions varied with the seed ${seed.value}.`, () =>
      call('POST', 'assumptions/seed', { seed: Number(seed.value) }),
    )
  const restore = () =>
    run('Defaults restored.', () =>
      call('PATCH', 'assumptions', Object.fromEntries(rows.map((row) => [row.id, row.default]))),
    )

  const rowOf = (row: Row): HTMLElement => {
    const values = [...new Set([row.default, ...row.alternatives, ...row.further, ...row.samples, row.value])]
    const texts = values.map(
      (value) => [`${value}`, `${shorten(`${value}`, maxShown)}${value === row.default ? ' (default)' : ''}`] as const,
    )
    const change = () => {
      const value = values.find((value) => String(value) === choice.value)
      void run(`${row.id} is now ${choice.value}.`, () => call('PATCH', 'assumptions', { [row.id]: value }))
    }
    const attributes = { 'data-id': row.id, 'aria-label': row.id, disabled: values.length === 1 }
    const choice = h('select', { ...attributes, onchange: change }, ...options(texts, String(row.value)))
    const provenance = row.provenance === 'default' ? undefined : row.provenance
    return h(
      'article',
      { class: isChanged(row) ? 'card changed' : 'card' },
      div('grow', h('h2', {}, row.id), h('p', {}, row.question), h('p', { class: 'quiet' }, row.meaning)),
      div(
        'choice',
        choice,
        h('span', { class: 'quiet' }, citation(row.section), row.rare && ' · rare', provenance && ` · ${provenance}`),
      ),
    )
  }

  const tools = div(
    'tools',
    checkbox('Non-default only', onlyChanged),
    field('Seed', seed),
    button('Vary all', vary),
    button('Restore defaults', restore),
  )
  return { element: div('', tools, count, list), load }
}

const isChanged = (row: Row): boolean => row.value !== row.default
