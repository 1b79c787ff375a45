import type { CoverageRow } from '../../mock/coverage.ts'
import { oncePerBurst } from './actions.ts'
import { ask } from './api.ts'
import { button, h } from './dom.ts'
import type { View } from './view.ts'

export const coverageView = (): View => {
  const lists = h('div', { class: 'coverage' })
  const count = h('p', { class: 'quiet', role: 'status' })

  const load = async (): Promise<void> => {
    const { coverage } = await ask<{ coverage: CoverageRow[] }>('GET', 'coverage')
    const operations = [...new Set(coverage.map(({ operation }) => operation))]
    lists.replaceChildren(
      ...operations.map((operation) =>
        h(
          'section',
          {},
          h('h2', {}, operation),
          h('ul', { class: 'plain' }, ...coverage.filter((row) => row.operation === operation).map(rowOf)),
        ),
      ),
    )
    count.textContent = `${coverage.filter((row) => row.count > 0).length} of ${coverage.length} outcomes met. Those that are not are what your client has never shown it copes with.`
  }

  const element = h(
    'div',
    {},
    h(
      'div',
      { class: 'tools' },
      button('Count from zero', () => void ask('DELETE', 'coverage').then(load)),
    ),
    count,
    lists,
  )

  return {
    element,
    load,
    requests: oncePerBurst(load),
    change(of) {
      if (of === 'coverage') void load()
    },
  }
}

const rowOf = ({ outcome, meaning, count }: CoverageRow): HTMLLIElement =>
  h(
    'li',
    { class: count > 0 ? 'met' : 'never' },
    h('span', { class: 'outcome' }, outcome),
    h('span', { class: 'grow quiet' }, meaning),
    h('span', { class: 'count' }, count > 0 ? `${count} ×` : 'never'),
  )
