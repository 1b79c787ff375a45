import type { ActiveFault } from '../../faults/faults.ts'
import { attempting } from './actions.ts'
import { ask } from './api.ts'
import { button, field, h, options } from './dom.ts'
import type { View } from './view.ts'

export const faultsView = (say: (text: string) => void): View => {
  const list = h('ul', { class: 'plain faults' })
  const none = h('p', { class: 'quiet' }, 'No faults: every answer is the model’s own.')

  const load = async (): Promise<void> => {
    const { faults } = await ask<{ faults: ActiveFault[] }>('GET', 'faults')
    list.replaceChildren(...faults.map(rowOf))
    none.hidden = faults.length > 0
  }

  const attempt = attempting(say, load)
  const fail = (what: string, fault: object) => attempt(what, () => ask('POST', 'faults', fault))

  const rowOf = ({ id, name, hits, remaining }: ActiveFault): HTMLLIElement =>
    h(
      'li',
      {},
      h('span', { class: 'grow' }, name),
      h('span', { class: 'quiet' }, `hits ${hits}${remaining === undefined ? '' : `, ${remaining} to go`}`),
      button('Take away', () => void attempt(`Taken away: ${name}.`, () => ask('DELETE', `faults/${id}`)), {
        'aria-label': `Take away ${name}`,
      }),
    )

  const element = h(
    'div',
    { class: 'split' },
    h(
      'div',
      {},
      h('h2', {}, 'In force'),
      none,
      list,
      h(
        'div',
        { class: 'tools' },
        button('Take all away', () => void attempt('No faults any more.', () => ask('DELETE', 'faults'))),
      ),
    ),
    h('aside', { class: 'side' }, quick(fail), form(fail, say)),
  )

  return {
    element,
    load,
    requests: () => void load(),
    change(of) {
      if (of === 'faults') void load()
    },
  }
}

type Fail = (what: string, fault: object) => Promise<void>

/** What is wanted most, at one click. */
const quick = (fail: Fail): HTMLElement =>
  h(
    'div',
    { class: 'quick' },
    h('h2', {}, 'The next request'),
    ...[
      ['fails with 500', { status: 500 }],
      ['fails with 503', { status: 503 }],
      ['is refused with 401', { status: 401 }],
      ['is too many: 429', { status: 429, headers: { 'Retry-After': '3' } }],
      ['loses its connection', { reset: true }],
      ['breaks off in the answer', { truncate: true }],
      ['gets half of the JSON', { malformed: true }],
      ['never ends', { drip: true }],
    ].map(([what, fault]) =>
      button(
        what as string,
        () => void fail(`The next request ${what}.`, { ...(fault as object), times: 1 }),
      ),
    ),
    h('h2', {}, 'The network'),
    button('slow: 0.3 to 1.5 s', () => void fail('The network is slow.', { delay: [300, 1500] })),
    button('very slow: 3 to 8 s', () => void fail('The network is very slow.', { delay: [3000, 8000] })),
    button('flaky: 1 in 5 lost', () => void fail('The network is flaky.', { reset: true, probability: 0.2 })),
  )

/** Everything that a fault can be. */
const form = (fail: Fail, say: (text: string) => void): HTMLElement => {
  const operation = h(
    'select',
    {},
    ...options([
      ['', 'any request'],
      ['listPlants', 'listPlants'],
      ['createPlant', 'createPlant'],
    ]),
  )
  const effect = h(
    'select',
    {},
    ...options([
      ['status', 'a status'],
      ['delay', 'a delay alone'],
      ['reset', 'reset'],
      ['truncate', 'truncate'],
      ['malformed', 'malformed'],
      ['drip', 'drip'],
    ]),
  )
  const status = h('input', { value: '503', inputmode: 'numeric', size: 5 })
  const delay = h('input', { placeholder: '0 ms', inputmode: 'numeric', size: 6 })
  const times = h('input', { placeholder: 'no end', inputmode: 'numeric', size: 6 })
  const caller = h('input', { placeholder: 'any', autocomplete: 'off', spellcheck: 'false' })
  const chance = h('input', { placeholder: '1', inputmode: 'decimal', size: 5 })

  const submit = (event: Event): void => {
    event.preventDefault()
    const given = {
      ...(operation.value !== '' && { operation: operation.value }),
      ...(caller.value !== '' && { caller: caller.value }),
      ...(times.value !== '' && { times: Number(times.value) }),
      ...(chance.value !== '' && { probability: Number(chance.value) }),
      ...(delay.value !== '' && { delay: Number(delay.value) }),
      ...(effect.value === 'status'
        ? { status: Number(status.value) }
        : effect.value === 'delay'
          ? {}
          : { [effect.value]: true }),
    }
    if (Object.keys(given).length === 0) say('Give the fault something to do.')
    else void fail('The fault is set.', given)
  }

  return h(
    'form',
    { class: 'add', onsubmit: submit },
    h('h2', {}, 'A fault of your own'),
    field('For which requests', operation),
    field('Of the caller', caller),
    field('Effect', effect),
    field('Status', status),
    field('Delay in ms', delay),
    field('How often', times),
    field('Probability', chance),
    h('button', {}, 'Set'),
  )
}
