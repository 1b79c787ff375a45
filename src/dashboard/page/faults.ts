import type { ActiveFault } from '../../faults/faults.ts'
import { plural } from '../../util/words.ts'
import { actionRunner, type Say, throttled } from './actions.ts'
import { call } from './api.ts'
import { button, h } from './dom.ts'
import { type AddFault, faultButtons, faultForm } from './fault-form.ts'
import type { View } from './view.ts'

export const faultsView = (say: Say): View => {
  const list = h('ul', { class: 'plain faults' })
  const none = h('p', { class: 'quiet' }, 'No active faults.')

  const load = async (): Promise<void> => {
    const { faults } = await call<{ faults: ActiveFault[] }>('GET', 'faults')
    list.replaceChildren(...faults.map(rowOf))
    none.hidden = faults.length > 0
  }

  const run = actionRunner(say, load)
  const add: AddFault = (fault) => void run('Fault added.', () => call('POST', 'faults', fault))

  const rowOf = ({ id, name, hits, remaining }: ActiveFault): HTMLLIElement =>
    h(
      'li',
      {},
      h('span', { class: 'grow' }, name),
      h(
        'span',
        { class: 'quiet' },
        `hit ${plural(hits, 'request')}${remaining === undefined ? '' : `, ${remaining} left`}`,
      ),
      button('Remove', () => void run(`Removed ${name}.`, () => call('DELETE', `faults/${id}`)), {
        'aria-label': `Remove ${name}`,
      }),
    )

  const clear = button('Clear all faults', () => void run('All faults cleared.', () => call('DELETE', 'faults')))
  const active = h('div', {}, h('h2', {}, 'Active faults'), none, list, h('div', { class: 'tools' }, clear))

  return {
    element: h('div', { class: 'split' }, active, h('aside', { class: 'side' }, faultButtons(add), faultForm(add))),
    load,
    onRequests: throttled(load),
    onChange(subject) {
      if (subject === 'faults') void load()
    },
  }
}
