import { type OperationId, operationIds } from '../../../core/assumptions/operation-ids.ts'
import { operations } from '../../../core/operations/operations.ts'
import type { SentRequest } from '../../control/send.ts'
import { call } from './api.ts'
import { failingForm, field, h, openDialog, options, textInput } from './dom.ts'

const sampleOf = (id: OperationId): Omit<SentRequest, 'caller'> => {
  const { method, sample } = operations[id]
  const { path: url, body } = sample
  return body === undefined ? { method, url } : { method, url, headers: { 'content-type': 'application/json' }, body }
}

/**
 * Opens a form for a request that the mock sends, so that a page without tokens can send as any caller.
 * @param callers Pseudonyms to choose from.
 * @param sent Receives the id of the journal entry.
 */
export const composeRequest = (
  given: SentRequest = { ...sampleOf('listPlants'), caller: 'alice' },
  callers: readonly string[],
  sent: (id: number) => void,
): void => {
  const unchosen = h('option', { value: '', disabled: true, selected: true }, 'choose…')
  const choose = () => fill(sampleOf(operation.value as OperationId))
  const operation = h('select', { onchange: choose }, unchosen, ...options(operationIds))
  const caller = textInput({ value: given.caller, list: 'known-callers', placeholder: 'none' })
  const method = textInput({ required: true, size: 8 })
  const url = textInput({ required: true })
  const headers = h('textarea', { rows: 2, spellcheck: 'false', placeholder: 'content-type: application/json' })
  const body = h('textarea', { rows: 4, spellcheck: 'false' })

  const fill = (request: SentRequest): void => {
    method.value = request.method
    url.value = request.url
    headers.value = Object.entries(request.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')
    body.value = request.body ?? ''
  }
  fill(given)

  const send = async (): Promise<void> => {
    const request: SentRequest = {
      method: method.value.trim().toUpperCase(),
      url: url.value.trim(),
      headers: parseHeaders(headers.value),
      ...(body.value !== '' && { body: body.value }),
      ...(caller.value.trim() !== '' && { caller: caller.value.trim() }),
    }
    const { id } = await call<{ id: number }>('POST', 'requests', request)
    dialog.close()
    sent(id)
  }

  const dialog = openDialog(
    'Send a request',
    failingForm(
      'add',
      send,
      field('Start from', operation),
      field('Caller (pseudonym or token)', caller),
      h('datalist', { id: 'known-callers' }, ...options(callers)),
      field('Method', method),
      field('Path', url),
      field('Headers', headers),
      field('Body', body),
      h('button', { class: 'primary' }, 'Send'),
    ),
  )
}

const parseHeaders = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s)
      return name.trim() === '' ? [] : [[name.trim().toLowerCase(), value.trim()]]
    }),
  )
