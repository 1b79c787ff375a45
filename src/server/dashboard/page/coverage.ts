import type { CoverageRow } from '../../../core/mock/coverage.ts'
import { call } from './api.ts'
import { button, div, h } from './dom.ts'
import { actionRunner, throttled, type View } from './view.ts'

export const coverageView = (): View => {
  const lists = div('coverage')
  const count = h('p', { class: 'quiet', role: 'status' })

  const bar = h('progress', { 'aria-label': 'Outcomes covered' })

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
    bar.max = coverage.length
    bar.value = covered
    count.textContent = `${covered} of ${coverage.length} outcomes covered. Your client has not met the others.`
  }

  const run = actionRunner(load)
  const rowOf = ({ operation, outcome, meaning, count }: CoverageRow): HTMLLIElement => {
    const fault = causes[outcome]
    const label = `Cause it with the next request: ${operation}, ${outcome}`
    const cause = () =>
      run(`The next ${operation} request has the outcome ${outcome}.`, () =>
        call('POST', 'faults', { operation, ...fault, times: 1 }),
      )
    return h(
      'li',
      { class: count > 0 ? 'covered' : 'uncovered' },
      h('span', { class: 'outcome' }, outcome),
      h('span', { class: 'grow quiet' }, meaning),
      count === 0 &&
        fault &&
        button('Cause it with the next request', cause, { class: 'small', 'aria-label': label, title: label }),
      h('span', { class: 'count' }, count > 0 ? `${count} ×` : 'never'),
    )
  }
  const reset = button('Reset coverage', () => run('Coverage reset.', () => call('DELETE', 'coverage')), {
    class: 'danger',
  })
  return { element: div('', div('tools', reset), bar, count, lists), load, onRequests: throttled(load) }
}

/** The fault that causes each outcome. A success depends on the plants and the request. */
const causes: Readonly<Partial<Record<CoverageRow['outcome'], object>>> = {
  unauthorized: { status: 401 },
  invalid: { status: 400 },
  conflict: { status: 409 },
  'too-large': { status: 413 },
  unsupported: { status: 415 },
  'rate-limited': { status: 429, headers: { 'Retry-After': '3' } },
  'server-error': { status: 503 },
  slow: { delay: 3_000 },
  disconnected: { reset: true },
  malformed: { malformed: true },
}
