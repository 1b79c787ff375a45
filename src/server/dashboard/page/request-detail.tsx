/** @jsxImportSource preact */
import type { JournalEntry, JournalLine, Message } from '../../../core/journal/entry.ts'
import { operations } from '../../../core/operations/operations.ts'
import { plural } from '../../../util/words.ts'
import { baseUrl } from './api.ts'
import { asCurl, asTest } from './copy-request.ts'
import { Guesses } from './guesses.tsx'
import { Action, Citation, Code, say, statusText, Time } from './parts.tsx'

/** What decided a response: a guess such as `guess: list.order=added`, `fault: reset`, `upstream`; then a fault's delay. */
export const sourceText = ({ source, decided, assumptions, fault, delay }: JournalLine): string => {
  const guess = source === 'assumption' ? `guess: ${decided ?? assumptions[0]}` : source
  return `${fault === undefined ? guess : `fault: ${fault}`}${delay === undefined ? '' : ` +${Math.round(delay)} ms`}`
}

type DetailProps = {
  readonly entry: JournalEntry
  readonly close: () => void
  readonly sendAgain: () => unknown
  readonly edit: () => unknown
}

export const RequestDetail = ({ entry, close, sendAgain, edit }: DetailProps) => (
  <>
    <div class="head">
      <h2>{`${entry.method} ${entry.url}`}</h2>
      <button type="button" class="close" onClick={close}>
        Close
      </button>
    </div>
    <p class="tools">
      <Action name="Send again" class="small" disabled={entry.request.bodyOmitted} run={sendAgain} />
      <Action
        name="Edit and send"
        class="small"
        disabled={entry.request.bodyOmitted}
        aria-haspopup="dialog"
        run={edit}
      />
      <button
        type="button"
        class="small"
        onClick={() => copy('curl', asCurl(entry, baseUrl), ' Set the variable TOKEN to the caller’s token.')}
      >
        Copy as curl
      </button>
      <button type="button" class="small" onClick={() => copy('Vitest test', asTest(entry))}>
        Copy as Vitest test
      </button>
    </p>
    <dl>
      {pairsOf(entry).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
    {entry.violations.map(({ in: part, section, detail }) => (
      <p key={`${section} ${detail}`} class="violation">
        The {part} violates <Citation sections={section} />: {detail}
      </p>
    ))}
    {entry.violationsOmitted !== undefined && <p class="violation">{entry.violationsOmitted} more violations</p>}
    <h3>Stated by the contract</h3>
    <p>
      <Citation sections={sectionsOf(entry)} />
    </p>
    {entry.assumptions.length > 0 && (
      <>
        <h3>Guessed</h3>
        <Guesses entry={entry} />
      </>
    )}
    <MessageParts title="Request" message={entry.request} />
    <MessageParts title="Response" message={entry.response} />
  </>
)

const pairsOf = (entry: JournalEntry) => [
  ['Status', statusText(entry.status)] as const,
  ['Operation', entry.operation ?? 'not in the contract'] as const,
  ['Caller', entry.caller ?? 'not authenticated'] as const,
  [
    'Time',
    <>
      <Time at={entry.time} />, {entry.milliseconds.toFixed(1)} ms
    </>,
  ] as const,
  ...(['contract', 'assumption'].includes(entry.source) ? [] : [['Source', sourceText(entry)] as const]),
  ...(entry.problem === undefined ? [] : [['Problem', entry.problem] as const]),
]

const sectionsOf = ({ operation, problem }: JournalEntry): string => {
  const ofOperation = operation === undefined ? '4' : operations[operation].section
  return problem === undefined ? ofOperation : `${ofOperation}, 7`
}

export const copy = (format: string, text: string, hint = ''): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => say(`Copied as ${format}.${hint}`),
    () => say('The browser blocks access to the clipboard.'),
  )

const MessageParts = (props: { readonly title: string; readonly message: Message }) => {
  const { title } = props
  const { headers, body, bodyOmitted, json } = props.message
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <h3>{title}</h3>
      {body !== undefined && (
        <Code label={`${title}: body`}>{json === undefined ? body : JSON.stringify(json, null, 2)}</Code>
      )}
      {bodyOmitted && <p>The body is not kept: it is not UTF-8, too large, or was evicted.</p>}
      <details>
        <summary>{plural(lines.length, 'header')}</summary>
        <Code label={`${title}: headers`}>{lines.join('\n') || 'none'}</Code>
      </details>
    </>
  )
}
