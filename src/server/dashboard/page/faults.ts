import { operationIds } from '../../../core/assumptions/operation-ids.ts'
import type { Pseudonym } from '../../../core/contract/caller.ts'
import { describeFault, type Fault } from '../../../core/faults/fault.ts'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import { faultTable, kindOf } from '../../../core/faults/kinds.ts'
import { type FaultKind, faultKinds } from '../../../core/http/reply.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, div, field, form, h, options, replaceChildren, statusText, textInput } from './dom.ts'
import { actionRunner, throttled, type View } from './view.ts'

export const faultsView = (): View => {
  const list = h('ul', { class: 'plain faults' })
  const none = h('p', { class: 'quiet' }, 'No active faults.')

  const load = async (): Promise<void> => {
    const { faults } = await call<{ faults: ActiveFault[] }>('GET', 'faults')
    const active = faults.filter(({ remaining }) => remaining !== 0)
    list.replaceChildren(...active.map(rowOf), ...faults.filter(({ remaining }) => remaining === 0).map(rowOf))
    none.hidden = active.length > 0
    replaceChildren(switches, networkSwitches(active, add, remove))
    clear.hidden = faults.length === 0
  }

  const run = actionRunner(load)
  const clear = button('Clear all faults', () => run('Cleared all faults.', () => call('DELETE', 'faults')), {
    class: 'danger',
  })
  const add: AddFault = (fault) => run('Added the fault.', () => call('POST', 'faults', fault))
  const remove = ({ id, name }: ActiveFault) => run(`Removed ${name}.`, () => call('DELETE', `faults/${id}`))
  const switches = div('quick')

  const rowOf = (fault: ActiveFault): HTMLLIElement => {
    const { name, hits, remaining } = fault
    const left = remaining === undefined ? '' : `, ${remaining} left`
    return h(
      'li',
      { class: remaining === 0 ? 'spent' : undefined },
      h('span', { class: 'grow' }, name),
      h('span', { class: 'quiet' }, `${plural(hits, 'hit')}${left}`),
      button('Remove', () => remove(fault), { class: 'danger', 'aria-label': `Remove ${name}` }),
    )
  }

  const active = h('section', {}, h('h2', {}, 'Active faults'), none, list, div('tools', clear))
  const quick = div(
    'panel quick',
    h('h2', {}, 'The next request gets'),
    ...Object.entries(nextRequest).map(([label, fault]) =>
      button(label, () => add({ ...fault, times: 1 }), { title: helpOf(kindOf(fault)) }),
    ),
    h('h2', {}, 'The network is'),
    switches,
  )
  const element = div('fault-view', active, quick, h('section', { class: 'panel' }, faultForm(add)))
  return { element, load, onRequests: throttled(load) }
}

type AddFault = (fault: object) => void

const nextRequest: Readonly<Record<string, object>> = {
  [statusText(500)]: { status: 500 },
  [statusText(503)]: { status: 503 },
  [statusText(401)]: { status: 401 },
  [statusText(429)]: { status: 429, headers: { 'Retry-After': '3' } },
  'Connection reset': { reset: true },
  'Truncated response': { truncate: true },
  'Malformed JSON': { malformed: true },
  'Response that never ends': { endless: true },
}

const network: Readonly<Record<string, Fault>> = {
  'Slow (0.3–1.5 s)': { delay: [300, 1500] },
  'Very slow (3–8 s)': { delay: [3000, 8000] },
  'Flaky (20% of connections reset)': { reset: true, probability: 0.2 },
}

/** Switches for network faults; a switch is on while its fault is active. */
const networkSwitches = (active: readonly ActiveFault[], add: AddFault, remove: (fault: ActiveFault) => void) =>
  Object.entries(network).map(([label, fault]) => {
    const name = describeFault(fault, () => '' as Pseudonym)
    const found = active.find((other) => other.name === name)
    const press = () => (found === undefined ? add(fault) : remove(found))
    return button(label, press, { 'aria-pressed': String(found !== undefined), 'data-key': label })
  })

const delayOnly = 'delay'

/** The kinds of faults, the most used first. */
const effects: readonly (readonly [value: string, label: string])[] = [
  ['status', faultTable.status.label],
  [delayOnly, 'Delay only'],
  ...faultKinds.filter((kind) => kind !== 'status').map((kind) => [kind, faultTable[kind].label] as const),
]

const helpOf = (kind: string | undefined): string => faultTable[kind as FaultKind]?.meaning ?? ''

const effectOf = (kind: string, status: number): object => {
  if (kind === delayOnly) return {}
  return faultTable[kind as FaultKind].value === 'status' ? { [kind]: status } : { [kind]: true }
}

/** A form for any fault, which the mock validates. */
const faultForm = (add: AddFault): HTMLElement => {
  const operation = h('select', {}, ...options([['', 'any'], ...operationIds]))
  const help = h('p', { class: 'quiet' }, helpOf('status'))
  const showHelp = (): void => {
    help.textContent = helpOf(effect.value)
  }
  const effect = h('select', { onchange: showHelp }, ...options(effects))
  const status = textInput({ value: '503', inputmode: 'numeric', size: 5 })
  const delay = textInput({ placeholder: '0', inputmode: 'numeric', size: 6 })
  const times = textInput({ placeholder: 'unlimited', inputmode: 'numeric', size: 6 })
  const caller = textInput({ placeholder: 'any' })
  const probability = textInput({ placeholder: '1', inputmode: 'decimal', size: 5 })

  const submit = (): void => {
    const numberIn = ({ value }: HTMLInputElement) => value && Number(value)
    const fault = {
      operation: operation.value,
      caller: caller.value,
      times: numberIn(times),
      probability: numberIn(probability),
      delay: numberIn(delay),
    }
    const given = Object.entries(fault).filter(([, value]) => value !== '')
    add({ ...Object.fromEntries(given), ...effectOf(effect.value, Number(status.value)) })
  }

  return form(
    'add',
    submit,
    h('h2', {}, 'Custom fault'),
    field('Operation', operation),
    field('Caller (token or pseudonym)', caller),
    field('Effect', effect),
    help,
    field('Status', status),
    field('Delay in ms', delay),
    field('Number of requests', times),
    field('Probability (0 to 1)', probability),
    h('button', { class: 'primary' }, 'Add fault'),
  )
}
