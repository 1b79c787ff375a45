/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { shownStatus } from '../../../core/http/status.ts'
import { type JournalLine, journalSources } from '../../../core/journal/entry.ts'
import { plural } from '../../../util/words.ts'
import { firstCommand } from '../../control/paths.ts'
import { baseUrl, call } from './api.ts'
import { Action, Button, Check, Citation, Code, Head, Select, short, statusText, Text, Time } from './parts.tsx'
import { copy, RequestDetail, sourceText } from './request-detail.tsx'
import { callersOfRequests, composeRequest, sendRequest } from './send-request.tsx'
import { act, openRequest, rowButton, showInAddress, state, update, useData, useFilter } from './state.ts'

const pageSize = 200

const noFilter = { text: '', status: '', caller: '', source: '', isViolating: false }
type Filter = typeof noFilter

export const RequestsView = () => {
  const { lines, item } = state
  const isEmpty = lines.length + state.earlier.length === 0
  const { filter, bind, clear: clearFilter } = useFilter('filter', noFilter)
  const [maxShown, setMaxShown] = useState(pageSize)
  const clear = () =>
    act('Requests cleared.', async () => {
      await call('DELETE', 'requests')
      update({ lines: [], earlier: [] })
      showInAddress('#requests')
    })
  const found = lines.filter((line) => matches(line, filter))
  const earlier = state.earlier.filter((line) => matches(line, filter))
  const some = found.length === lines.length ? '' : `${found.length || 'none'} of `
  const latest = found.length > maxShown ? `, showing the latest ${maxShown}` : ''
  return (
    <div class="split">
      <div>
        <div class="tools">
          <Text label="Filter" type="search" {...bind('text')} placeholder="path, status, caller…" />
          <Select label="Status" {...bind('status')} options={[['', 'all'], '2xx', '4xx', '5xx', 'reset']} />
          <Select label="Caller" {...bind('caller')} options={[['', 'all'], ...callersOfRequests()]} />
          <Select label="Source" {...bind('source')} options={[['', 'all'], ...sources]} />
          <Check name="Violations only" {...bind('isViolating')} />
          <Action name="Clear requests" title="This cannot be undone" disabled={isEmpty} run={clear} />
          <Action name="Send a request…" class="primary" aria-haspopup="dialog" run={() => composeRequest()} />
        </div>
        <div class="scroll">
          <Table lines={found.slice(0, maxShown)} earlier={earlier} openId={Number(item)} />
        </div>
        <p class="quiet" role="status">
          {lines.length === 0
            ? `No requests ${isEmpty ? 'yet' : 'since the restart'}. They appear here as they arrive.`
            : `${some}${plural(lines.length, 'request')}${latest}`}
        </p>
        {found.length > maxShown && <Button name="Show more" run={() => setMaxShown(maxShown + pageSize)} />}
        {lines.length > 0 && found.length === 0 && <Button name="Clear the filters" run={clearFilter} />}
        {isEmpty && <FirstRequest />}
      </div>
      {item !== undefined && <RequestDetail id={item} />}
    </div>
  )
}

const sources = journalSources.map((source) => [source, source === 'assumption' ? 'guess' : source] as const)

const matches = (line: JournalLine, { text, status, caller, source, isViolating }: Filter): boolean => {
  if (isViolating && line.violations.length === 0) return false
  if (!shownStatus(line.status).startsWith(status.replace('xx', ''))) return false
  if ((caller !== '' && line.caller !== caller) || (source !== '' && line.source !== source)) return false
  const { method, url, problem } = line
  const shown = [method, url, shownStatus(line.status), line.caller, sourceText(line), problem].join(' ').toLowerCase()
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word))
}

type TableProps = Pick<typeof state, 'lines' | 'earlier'> & { readonly openId: number }

/** The table is one tab stop (roving tabindex): the arrow keys move between the rows. */
const Table = ({ lines, earlier, openId }: TableProps) => {
  const [focusedId, setFocusedId] = useState<number>()
  const stop = lines.find(({ id }) => id === openId || id === focusedId)?.id ?? lines[0]?.id
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = lines.findIndex(({ id }) => id === Number((event.target as HTMLElement).dataset.key))
    const next = lines[at + step]
    if (next === undefined) return
    setFocusedId(next.id)
    rowButton(next.id)?.focus()
  }
  return (
    <table class="requests">
      <Head columns={['Time', 'Method', 'Path', 'Status', 'Caller', 'Source', 'ms']} />
      <tbody onKeyDown={move}>
        {lines.map((line) => (
          <Row key={line.id} line={line} isOpen={line.id === openId}>
            <button
              type="button"
              class="link path"
              title={line.url}
              data-key={line.id}
              tabIndex={line.id === stop ? 0 : -1}
              onClick={() => openRequest(line.id)}
            >
              {line.url}
            </button>
          </Row>
        ))}
      </tbody>
      {earlier.length > 0 && (
        <tbody class="earlier">
          <tr>
            <td colSpan={7}>From before the restart: the mock no longer has their details</td>
          </tr>
          {earlier.slice(0, pageSize).map((line) => (
            <Row key={`${line.id} ${line.time}`} line={line} isOpen={false}>
              <span class="link">{line.url}</span>
            </Row>
          ))}
        </tbody>
      )}
    </table>
  )
}

type RowProps = {
  readonly line: JournalLine
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

const Row = ({ line, isOpen, children }: RowProps) => {
  const { violations } = line
  const [violation] = violations
  return (
    <tr
      class={isOpen ? 'chosen' : undefined}
      aria-current={isOpen}
      onClick={({ target, currentTarget }) => {
        if (!(target as Element).closest('a, button'))
          currentTarget.querySelector<HTMLElement>('.path > button')?.click()
      }}
    >
      <td class="time">
        <Time at={line.time} />
      </td>
      <td class="method">{line.method}</td>
      <td class="path">
        {children}
        {violation !== undefined && (
          <span class="mark" title={violations.map(({ section, detail }) => `${section}: ${short(detail)}`).join('\n')}>
            violates <Citation sections={violation.section} />
          </span>
        )}
      </td>
      <td class={`status s${Math.floor(line.status / 100)}`} title={statusText(line.status)}>
        {shownStatus(line.status)}
      </td>
      <td class="caller">{line.caller ?? '–'}</td>
      <td class={`source ${line.source}`} title={[line.source, ...line.assumptions].join(' ')}>
        {line.source === 'assumption' ? (
          <a href={`#assumptions/${line.decided?.split('=', 1) ?? line.assumptions[0]}`} tabIndex={-1}>
            {sourceText(line)}
          </a>
        ) : (
          sourceText(line)
        )}
      </td>
      <td class="ms">{line.milliseconds.toFixed(1)}</td>
    </tr>
  )
}

const FirstRequest = () => {
  const { values } = useData<{ values: Assumptions }>('assumptions', 'assumptions')
  if (values === undefined) return null
  const command = firstCommand(baseUrl, values)
  const send = async () => openRequest(await sendRequest({ method: 'GET', url: '/plants?limit=3', caller: 'alice' }))
  return (
    <div class="panel hint">
      <h2>Send the first request</h2>
      <Code label="First request">{command}</Code>
      <p class="tools">
        <Button name="Copy" run={() => copy('curl', command)} />
        <Action name="Send it" class="primary" run={() => act('Sent.', send)} />
      </p>
    </div>
  )
}
