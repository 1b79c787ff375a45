import type { CoverageRow } from '../../../core/mock/coverage.ts'
import { call } from './api.ts'
import { button, div, h } from './dom.ts'
import { actionRunner, throttled, type View } from './view.ts'

export const coverageView = (): View => {
  const lists = div('coverage')
  const count = h('p', { class: 'quiet', role: 'status' })

  const load = async (): Promise<void> => {
    const { coverage } = await call<{ coverage: CoverageRow[] }>('GET', 'coverage')
    const operations = [...new Set(coverage.map(({ operation }) => operation))]
    lists.replaceChildren(
      ...operations.map((operation) => {
        const rows = coverage.filter((row) => row.operation === operation)
        return h('section', {}, h('h2', {}, operation), h('ul', { class: 'plain' }, ...rows.map(rowOf)))
      }),
    )
    const covered = coverage.filter((row) => row.count > 0).length
    count.textContent = `${covered} of ${coverage.length} outcomes covered. Your client has not met the others.`
  }

  const run = actionRunner(load)
  const reset = button('Reset coverage', () => run('Coverage reset.', () => call('DELETE', 'coverage')))
  return { element: div('', div('tools', reset), count, lists), load, onRequests: throttled(load) }
}

const rowOf = ({ outcome, meaning, count }: CoverageRow): HTMLLIElement =>
  h(
    'li',
    { class: count > 0 ? 'covered' : 'uncovered' },
    h('span', { class: 'outcome' }, outcome),
    h('span', { class: 'grow quiet' }, meaning),
    h('span', { class: 'count' }, count > 0 ? `${count} ×` : 'never'),
  )
