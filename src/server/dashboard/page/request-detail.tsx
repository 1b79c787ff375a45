/** @jsxImportSource preact */
import { useEffect, useRef } from 'preact/hooks'
import type { JournalEntry, JournalLine, Message } from '../../../core/journal/entry.ts'
import { operations } from '../../../core/operations/operations.ts'
import { plural } from '../../../util/words.ts'
import { requestOfEntry } from '../../control/send.ts'
import { baseUrl, call } from './api.ts'
import { asCurl, asTest } from './copy-request.ts'
import { Guesses } from './guesses.tsx'
import { Action, Button, Citation, Code, jsonLines, short, statusText, Time } from './parts.tsx'
import { composeRequest } from './send-request.tsx'
import { act, closeRequest, openRequest, say, useData } from './state.ts'

export const sourceText = ({ source, decided, assumptions, fault, delay }: JournalLine): string => {
  const guess = source === 'assumption' ? `guess: ${decided ?? assumptions[0]}` : source
  return `${fault === undefined ? guess : `fault: ${fault}`}${delay === undefined ? '' : ` +${Math.round(delay)} ms`}`
}

export const RequestDetail = ({ id }: { readonly id: string }) => {
  const entry = useData<JournalEntry>(`requests/${id}`)
  const { method = 'Request', url = id } = entry
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.scrollTo(0, 0)
    const isFocusShown = document.activeElement?.checkVisibility({ visibilityProperty: true })
    if (!isFocusShown) element.current?.querySelector('button')?.focus()
  }, [id])
  return (
    <dialog ref={element} open class="detail" aria-label={`Request ${method} ${url}`}>
      <div class="head">
        <h2>{`${method} ${url}`}</h2>
        <Button name="Close" class="close" run={closeRequest} />
      </div>
      {entry.id === undefined ? (
        <p class="quiet">The mock has no details of this request.</p>
      ) : (
        <Entry key={id} entry={entry as JournalEntry} />
      )}
    </dialog>
  )
}

const Entry = ({ entry }: { readonly entry: JournalEntry }) => {
  const { id, request, response, operation, problem, source } = entry
  const facts = {
    Status: <span class={`status s${Math.floor(entry.status / 100)}`}>{statusText(entry.status)}</span>,
    Operation: operation ?? 'not in the contract',
    Caller: entry.caller ?? 'not authenticated',
    Time: [<Time key="time" at={entry.time} />, `, ${entry.milliseconds.toFixed(1)} ms`],
    Source: ['contract', 'assumption'].includes(source) ? undefined : sourceText(entry),
    Problem: problem,
  }
  const sendAgain = async () => openRequest((await call<{ id: number }>('POST', `requests/${id}/replay`)).id)
  const edit = () => composeRequest(requestOfEntry(entry, (name) => ['accept', 'content-type'].includes(name)))
  return (
    <>
      <p class="tools">
        <Action name="Send again" class="small" disabled={request.bodyOmitted} run={() => act('Sent.', sendAgain)} />
        <Action name="Edit and send" class="small" disabled={request.bodyOmitted} aria-haspopup="dialog" run={edit} />
        <Button name="Copy as curl" class="small" run={() => copy('curl', asCurl(entry, baseUrl))} />
        <Button name="Copy as Vitest test" class="small" run={() => copy('Vitest test', asTest(entry))} />
      </p>
      <dl>
        {Object.entries(facts).map(
          ([name, value]) =>
            value !== undefined && (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ),
        )}
      </dl>
      {entry.violations.map(({ in: part, section, detail }) => (
        <p key={`${section} ${detail}`} class="violation">
          The {part} violates <Citation sections={section} />: {short(detail)}
        </p>
      ))}
      {entry.violationsOmitted !== undefined && <p class="violation">{entry.violationsOmitted} more violations</p>}
      <h3>Stated by the contract</h3>
      <p>
        <Citation
          sections={`${operation === undefined ? '4' : operations[operation].section}${problem === undefined ? '' : ', 7'}`}
        />
      </p>
      {entry.assumptions.length > 0 && (
        <>
          <h3>Guessed</h3>
          <Guesses entry={entry} />
        </>
      )}
      <MessageParts title="Request" message={request} />
      <MessageParts title="Response" message={response} />
    </>
  )
}

export const copy = (format: string, text: string): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => say(`Copied as ${format}.${text.includes('$TOKEN') ? ' Set the variable TOKEN to the caller’s token.' : ''}`),
    () => say('The browser blocks access to the clipboard.'),
  )

const MessageParts = ({ title, message }: { readonly title: string; readonly message: Message }) => {
  const { headers, body, bodyOmitted, json } = message
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <h3>{title}</h3>
      {body !== undefined && (
        <Code label={`${title}: body`}>{json === undefined ? body : jsonLines(json).join('\n')}</Code>
      )}
      {bodyOmitted && <p>The body is not kept: it is not UTF-8, too large, or was evicted.</p>}
      <details>
        <summary>{plural(lines.length, 'header')}</summary>
        <Code label={`${title}: headers`}>{lines.join('\n') || 'none'}</Code>
      </details>
    </>
  )
}
