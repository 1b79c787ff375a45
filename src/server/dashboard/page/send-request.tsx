/** @jsxImportSource preact */
import { type OperationId, operationIds } from '../../../core/assumptions/operation-ids.ts'
import { operations } from '../../../core/operations/operations.ts'
import type { SentRequest } from '../../control/send.ts'
import { call } from './api.ts'
import { Area, closeDialog, Form, openDialog, options, Select, Submit, Text } from './parts.tsx'
import { useTexts } from './state.ts'

const sampleOf = (id: OperationId): Omit<SentRequest, 'caller'> => {
  const { method, sample } = operations[id]
  const { path: url, body } = sample
  return body === undefined ? { method, url } : { method, url, headers: { 'content-type': 'application/json' }, body }
}

export const sendRequest = async (request: SentRequest): Promise<number> =>
  (await call<{ id: number }>('POST', 'requests', request)).id

type ComposeProps = {
  readonly given: SentRequest
  readonly callers: readonly string[]
  readonly sent: (id: number) => void
}

export const composeRequest = (
  props: Omit<ComposeProps, 'given'> & { readonly given?: SentRequest | undefined },
): void =>
  openDialog(
    'Send a request',
    <Compose {...props} given={props.given ?? { ...sampleOf('listPlants'), caller: props.callers[0] ?? 'alice' }} />,
  )

const Compose = ({ given, callers, sent }: ComposeProps) => {
  const { texts, change, bind } = useTexts({ operation: '', caller: given.caller ?? '', ...textsOf(given) })
  const { caller, method, url, headers, body } = texts
  const choose = (operation: string) => change({ operation, ...textsOf(sampleOf(operation as OperationId)) })
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
      <Select name="Start from" {...bind('operation')} set={choose} options={[['', 'choose…'], ...operationIds]} />
      <Text name="Caller (pseudonym or token)" {...bind('caller')} list="known-callers" placeholder="none" />
      <datalist id="known-callers">{options(callers)}</datalist>
      <Text name="Method" {...bind('method')} required />
      <Text name="Path" {...bind('url')} required />
      <Area name="Headers" {...bind('headers')} rows={2} placeholder="content-type: application/json" />
      <Area name="Body" {...bind('body')} rows={4} />
    </Form>
  )
}

const textsOf = ({ method, url, headers = {}, body = '' }: Omit<SentRequest, 'caller'>) => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return { method, url, headers: lines.join('\n'), body }
}

const parseHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s)
      return name.trim() === '' ? [] : [[name.trim().toLowerCase(), value.trim()]]
    }),
  )
