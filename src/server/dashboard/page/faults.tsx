/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import { operationIds } from '../../../core/assumptions/operation-ids.ts'
import { describeFault, type Fault } from '../../../core/faults/fault.ts'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import { faultTable, kindOf } from '../../../core/faults/kinds.ts'
import { type FaultKind, faultKinds } from '../../../core/http/reply.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { Action, Form, Select, statusText, Text, type Values } from './parts.tsx'
import { act, reload, say, useData } from './state.ts'

const add = (fault: object) => call('POST', 'faults', fault)

const remove = (done: string, path: string, removed: readonly ActiveFault[]): Promise<void> => {
  const undo = async () => {
    for (const { fault, remaining } of removed.toReversed())
      if (remaining !== 0) await add({ ...fault, ...(remaining !== undefined && { times: remaining }) })
  }
  return act(done, () => call('DELETE', path), undo)
}

const removeOne = (fault: ActiveFault) => remove(`Removed ${fault.name}.`, `faults/${fault.id}`, [fault])

export const FaultsView = () => {
  const { faults = [] } = useData<{ faults: ActiveFault[] }>('faults', 'faults', 'requests')
  const active = faults.filter(({ remaining }) => remaining !== 0)
  const used = faults.filter(({ remaining }) => remaining === 0)
  const rows = (all: readonly ActiveFault[]) => (
    <ul class="plain faults">
      {all.map((fault) => (
        <li key={fault.id}>
          <span class="grow">{fault.name}</span>
          <span class="quiet">
            {plural(fault.hits, 'hit')}
            {fault.remaining !== undefined && `, ${fault.remaining} left`}
          </span>
          <Action name="Remove" aria-label={`Remove ${fault.name}`} run={() => removeOne(fault)} />
        </li>
      ))}
    </ul>
  )
  return (
    <div class="fault-view">
      <section>
        <h2>Active faults</h2>
        {active.length === 0 && <p class="quiet">No active faults. Add one to test how your client handles it.</p>}
        {rows(active)}
        {used.length > 0 && <h2>Used up</h2>}
        {rows(used)}
        {faults.length > 0 && (
          <Action name="Clear all faults" run={() => remove('Cleared all faults.', 'faults', faults)} />
        )}
      </section>
      <div class="panel quick">
        <h2>The next request gets</h2>
        {Object.entries(nextRequest).map(([label, fault]) => (
          <Action
            key={label}
            name={label}
            title={faultTable[kindOf(fault) ?? 'status'].meaning}
            run={() => act('Added the fault.', () => add({ ...fault, times: 1 }))}
          />
        ))}
        <h2>The network is</h2>
        {Object.entries(network).map(([label, fault]) => {
          const name = describeFault(fault)
          const found = active.find((other) => other.name === name)
          const press = () => (found === undefined ? act('Added the fault.', () => add(fault)) : removeOne(found))
          return <Action key={label} name={label} aria-pressed={found !== undefined} run={press} />
        })}
      </div>
      <section class="panel">
        <FaultForm />
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

const effects = [...faultKinds.map((kind) => [kind, faultTable[kind].label] as const), ['delay', 'Delay only'] as const]

const texts = ['operation', 'caller']

const FaultForm = () => {
  const [effect, setEffect] = useState('status')
  const row = faultKinds.includes(effect as FaultKind) ? faultTable[effect as FaultKind] : undefined
  const send = async (values: Values): Promise<void> => {
    const given = Object.entries(values).filter(([, text]) => text !== '')
    const fault = Object.fromEntries(given.map(([name, text]) => [name, texts.includes(name) ? text : Number(text)]))
    await add(row?.value === 'flag' ? { ...fault, [effect]: true } : fault)
    await reload()
    say('Added the fault.')
  }
  return (
    <Form run={send} submit="Add fault">
      <h2>Custom fault</h2>
      <Select label="Operation" name="operation" options={[['', 'any'], ...operationIds]} />
      <Text label="Caller (pseudonym or token)" name="caller" placeholder="any" />
      <Select label="Effect" value={effect} set={setEffect} options={effects} />
      <p class="quiet">{row && `The request gets ${row.meaning}.`}</p>
      {row?.value === 'status' && <Text label="Status" name={effect} defaultValue="503" inputMode="numeric" />}
      <Text label="Delay in ms" name="delay" inputMode="numeric" placeholder="0" />
      <Text label="Number of requests" name="times" inputMode="numeric" placeholder="unlimited" />
      <Text label="Probability (0 to 1)" name="probability" inputMode="decimal" placeholder="1" />
    </Form>
  )
}
