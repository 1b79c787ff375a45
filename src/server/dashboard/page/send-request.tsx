/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import { type OperationId, operationIds } from '../../../core/assumptions/operation-ids.ts'
import { operations } from '../../../core/operations/operations.ts'
import type { SentRequest } from '../../control/send.ts'
import { call } from './api.ts'
import { Field, Form, options, Select, Text, type Values } from './parts.tsx'
import { closeDialog, openDialog, openRequest, state } from './state.ts'

const sampleOf = (id: OperationId): SentRequest => {
  const { method, sample } = operations[id]
  const { path: url, body } = sample
  return { method, url, ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }) }
}

export const sendRequest = async (request: SentRequest): Promise<number> =>
  (await call<{ id: number }>('POST', 'requests', request)).id

export const callersOfRequests = (): readonly string[] =>
  [...new Set(state.lines.flatMap(({ caller = [] }) => caller))].sort()

export const composeRequest = (
  given: SentRequest = { ...sampleOf('listPlants'), caller: callersOfRequests()[0] ?? 'alice' },
): void => openDialog('Send a request', () => <Compose given={given} />)

const Compose = ({ given }: { readonly given: SentRequest }) => {
  const [{ method, url, headers = {}, body }, start] = useState(given)
  const send = async ({ method = '', url = '', headers = '', body = '', caller = '' }: Values): Promise<void> => {
    const id = await sendRequest({
      method: method.trim().toUpperCase(),
      url: url.trim(),
      headers: parseHeaders(headers),
      ...(body !== '' && { body }),
      ...(caller.trim() !== '' && { caller: caller.trim() }),
    })
    closeDialog()
    openRequest(id)
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <Form run={send} submit="Send">
      <Select
        label="Start from"
        set={(operation) => start(sampleOf(operation as OperationId))}
        options={[['', 'choose…'], ...operationIds]}
      />
      <Text label="Caller (pseudonym or token)" name="caller" defaultValue={given.caller} list="known-callers" />
      <datalist id="known-callers">{options(callersOfRequests())}</datalist>
      <Text label="Method" name="method" defaultValue={method} required />
      <Text label="Path" name="url" defaultValue={url} required />
      <Field label="Headers">
        <textarea name="headers" defaultValue={lines.join('\n')} spellcheck={false} rows={2} />
      </Field>
      <Field label="Body">
        <textarea name="body" defaultValue={body} spellcheck={false} rows={4} />
      </Field>
    </Form>
  )
}

const parseHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s)
      return name.trim() === '' ? [] : [[name.trim().toLowerCase(), value.trim()]]
    }),
  )
