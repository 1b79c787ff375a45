/** @jsxImportSource preact */
import { operationIds } from '../../../core/assumptions/operation-ids.ts'
import type { Pseudonym } from '../../../core/contract/caller.ts'
import { describeFault, type Fault } from '../../../core/faults/fault.ts'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import { faultTable, kindOf } from '../../../core/faults/kinds.ts'
import { type FaultKind, faultKinds } from '../../../core/http/reply.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { Action, attempt, Form, Select, Submit, say, statusText, Text } from './parts.tsx'
import { useData, useTexts } from './state.ts'

export const FaultsView = () => {
  const { data: { faults = [] } = {}, load } = useData<{ faults: ActiveFault[] }>('faults', 'faults', 'requests')
  const active = faults.filter(({ remaining }) => remaining !== 0)
  const used = faults.filter(({ remaining }) => remaining === 0)
  const change = (done: string, action: () => Promise<unknown>) => attempt(done, action).finally(load)
  const add = (fault: object) => change('Added the fault.', () => call('POST', 'faults', fault))
  const remove = ({ id, name }: ActiveFault) => change(`Removed ${name}.`, () => call('DELETE', `faults/${id}`))
  const rows = (all: readonly ActiveFault[]) => (
    <ul class="plain faults">
      {all.map((fault) => (
        <li key={fault.id}>
          <span class="grow">{fault.name}</span>
          <span class="quiet">
            {plural(fault.hits, 'hit')}
            {fault.remaining !== undefined && `, ${fault.remaining} left`}
          </span>
          <Action name="Remove" aria-label={`Remove ${fault.name}`} run={() => remove(fault)} />
        </li>
      ))}
    </ul>
  )
  return (
    <div class="fault-view">
      <section>
        <h2>Active faults</h2>
        {active.length === 0 && <p class="quiet">No active faults.</p>}
        {rows(active)}
        {used.length > 0 && <h2>Used up</h2>}
        {rows(used)}
        {faults.length > 0 && (
          <Action name="Clear all faults" run={() => change('Cleared all faults.', () => call('DELETE', 'faults'))} />
        )}
      </section>
      <div class="panel quick">
        <h2>The next request gets</h2>
        {Object.entries(nextRequest).map(([label, fault]) => (
          <Action key={label} name={label} title={helpOf(kindOf(fault))} run={() => add({ ...fault, times: 1 })} />
        ))}
        <h2>The network is</h2>
        {Object.entries(network).map(([label, fault]) => {
          const name = describeFault(fault, () => '' as Pseudonym)
          const found = active.find((other) => other.name === name)
          const press = () => (found === undefined ? add(fault) : remove(found))
          return <Action key={label} name={label} aria-pressed={found !== undefined} run={press} />
        })}
      </div>
      <section class="panel">
        <FaultForm add={(fault) => call('POST', 'faults', fault).finally(load)} />
      </section>
    </div>
  )
}

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

const delayOnly = 'delay'

const effects: readonly (readonly [value: string, label: string])[] = [
  ['status', faultTable.status.label],
  [delayOnly, 'Delay only'],
  ...faultKinds.filter((kind) => kind !== 'status').map((kind) => [kind, faultTable[kind].label] as const),
]

const helpOf = (kind: string | undefined): string => faultTable[kind as FaultKind]?.meaning ?? ''

const hasStatus = (effect: string): boolean => faultTable[effect as FaultKind]?.value === 'status'

const FaultForm = ({ add }: { readonly add: (fault: object) => Promise<unknown> }) => {
  const { texts, bind } = useTexts({
    operation: '',
    caller: '',
    effect: 'status',
    status: '503',
    delay: '',
    times: '',
    probability: '',
  })
  const { operation, caller, effect, status, delay, times, probability } = texts
  const submit = async (): Promise<void> => {
    const numberIn = (text: string) => text && Number(text)
    const fault = {
      operation,
      caller,
      times: numberIn(times),
      probability: numberIn(probability),
      delay: numberIn(delay),
      ...(effect !== delayOnly && { [effect]: hasStatus(effect) ? Number(status) : true }),
    }
    await add(Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== '')))
    say('Added the fault.')
  }
  return (
    <Form class="add" run={submit} submit={<Submit name="Add fault" />}>
      <h2>Custom fault</h2>
      <Select name="Operation" {...bind('operation')} options={[['', 'any'], ...operationIds]} />
      <Text name="Caller (token or pseudonym)" {...bind('caller')} placeholder="any" />
      <Select name="Effect" {...bind('effect')} options={effects} />
      <p class="quiet">{helpOf(effect)}</p>
      {hasStatus(effect) && <Text name="Status" {...bind('status')} inputMode="numeric" />}
      <Text name="Delay in ms" {...bind('delay')} inputMode="numeric" placeholder="0" />
      <Text name="Number of requests" {...bind('times')} inputMode="numeric" placeholder="unlimited" />
      <Text name="Probability (0 to 1)" {...bind('probability')} inputMode="decimal" placeholder="1" />
    </Form>
  )
}
