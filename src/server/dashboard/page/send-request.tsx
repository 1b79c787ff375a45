/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import { type OperationId, operationIds } from '../../../core/assumptions/operation-ids.ts'
import { operations } from '../../../core/operations/operations.ts'
import type { SentRequest } from '../../control/send.ts'
import { call } from './api.ts'
import { closeDialog, Field, Form, openDialog, options, Select, Submit, Text } from './parts.tsx'

const sampleOf = (id: OperationId): Omit<SentRequest, 'caller'> => {
  const { method, sample } = operations[id]
  const { path: url, body } = sample
  return body === undefined ? { method, url } : { method, url, headers: { 'content-type': 'application/json' }, body }
}

/** Sends a request as a caller, by pseudonym or token. @returns The id of its journal entry. */
export const sendRequest = async (request: SentRequest): Promise<number> =>
  (await call<{ id: number }>('POST', 'requests', request)).id

type ComposeProps = {
  readonly given: SentRequest
  /** Pseudonyms to choose from. */
  readonly callers: readonly string[]
  /** Receives the id of the journal entry. */
  readonly sent: (id: number) => void
}

/** Opens a form for a request that the mock sends, so that a page without tokens can send as any caller. */
export const composeRequest = (
  props: Omit<ComposeProps, 'given'> & { readonly given?: SentRequest | undefined },
): void =>
  openDialog(
    'Send a request',
    <Compose {...props} given={props.given ?? { ...sampleOf('listPlants'), caller: props.callers[0] ?? 'alice' }} />,
  )

const Compose = ({ given, callers, sent }: ComposeProps) => {
  const [operation, setOperation] = useState('')
  const [caller, setCaller] = useState(given.caller ?? '')
  const [method, setMethod] = useState(given.method)
  const [url, setUrl] = useState(given.url)
  const [headers, setHeaders] = useState(linesOf(given))
  const [body, setBody] = useState(given.body ?? '')
  const choose = (id: string): void => {
    const sample = sampleOf(id as OperationId)
    setOperation(id)
    setMethod(sample.method)
    setUrl(sample.url)
    setHeaders(linesOf(sample))
    setBody(sample.body ?? '')
  }
  const send = async (): Promise<void> => {
    const id = await sendRequest({
      method: method.trim().toUpperCase(),
      url: url.trim(),
      headers: parseHeaders(headers),
      ...(body !== '' && { body }),
      ...(caller.trim() !== '' && { caller: caller.trim() }),
    })
    closeDialog()
    sent(id)
  }
  return (
    <Form class="add" run={send} submit={<Submit name="Send" />}>
      <Select name="Start from" value={operation} set={choose} options={[['', 'choose…'], ...operationIds]} />
      <Text name="Caller (pseudonym or token)" value={caller} set={setCaller} list="known-callers" placeholder="none" />
      <datalist id="known-callers">{options(callers)}</datalist>
      <Text name="Method" value={method} set={setMethod} required />
      <Text name="Path" value={url} set={setUrl} required />
      <Field name="Headers">
        <textarea
          rows={2}
          spellcheck={false}
          placeholder="content-type: application/json"
          value={headers}
          onInput={({ currentTarget }) => setHeaders(currentTarget.value)}
        />
      </Field>
      <Field name="Body">
        <textarea
          rows={4}
          spellcheck={false}
          value={body}
          onInput={({ currentTarget }) => setBody(currentTarget.value)}
        />
      </Field>
    </Form>
  )
}

const linesOf = ({ headers = {} }: Pick<SentRequest, 'headers'>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const parseHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s)
      return name.trim() === '' ? [] : [[name.trim().toLowerCase(), value.trim()]]
    }),
  )
