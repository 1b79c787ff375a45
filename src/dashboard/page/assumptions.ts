import { messageOf, plural } from '../../util/words.ts'
import { actionRunner, type Say } from './actions.ts'
import { call } from './api.ts'
import { button, field, h, options } from './dom.ts'
import { citation } from './sections.ts'
import type { View } from './view.ts'

type Value = string | number
type Row = {
  readonly id: string
  readonly section: string
  readonly question: string
  readonly default: Value
  readonly alternatives: readonly Value[]
  readonly rare?: true
  readonly value: Value
  readonly meaning: string
  readonly provenance?: string
}

export const assumptionsView = (say: Say): View => {
  const list = h('div', { class: 'assumptions' })
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

  const run = actionRunner(say, load)

  const rowOf = (row: Row): HTMLElement => {
    const values = [row.default, ...row.alternatives]
    const choice = h(
      'select',
      {
        'data-id': row.id,
        'aria-label': row.id,
        disabled: row.alternatives.length === 0,
        onchange: () => {
          const value = values.find((value) => String(value) === choice.value)
          void run(`${row.id} is now ${choice.value}.`, () => call('PATCH', 'assumptions', { [row.id]: value }))
        },
      },
      ...options(
        values.map((value) => [String(value), `${value}${value === row.default ? ' (default)' : ''}`]),
        String(row.value),
      ),
    )
    return h(
      'article',
      { class: isChanged(row) ? 'card changed' : 'card' },
      h(
        'div',
        { class: 'grow' },
        h('h2', {}, row.id),
        h('p', {}, row.question),
        h('p', { class: 'quiet' }, row.meaning),
      ),
      h(
        'div',
        { class: 'choice' },
        choice,
        h(
          'span',
          { class: 'quiet' },
          citation(row.section, (error) => say(messageOf(error))),
          row.rare && ' · rare',
          row.provenance !== undefined && row.provenance !== 'default' && ` · ${row.provenance}`,
        ),
      ),
    )
  }

  const element = h(
    'div',
    {},
    h(
      'div',
      { class: 'tools' },
      h('label', { class: 'check' }, onlyChanged, 'Non-default only'),
      field('Seed', seed),
      button(
        'Vary all',
        () =>
          void run(`All assumptions varied with the seed ${seed.value}.`, () =>
            call('POST', 'assumptions/seed', { seed: Number(seed.value) }),
          ),
      ),
      button(
        'Restore defaults',
        () =>
          void run('Defaults restored.', () =>
            call('PATCH', 'assumptions', Object.fromEntries(rows.map((row) => [row.id, row.default]))),
          ),
      ),
    ),
    count,
    list,
  )

  return {
    element,
    load,
    onChange(subject) {
      if (subject === 'assumptions') void load()
    },
  }
}

const isChanged = (row: Row): boolean => row.value !== row.default
