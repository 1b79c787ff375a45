/** @jsxImportSource preact */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { shownStatus } from '../../../core/http/status.ts'
import { type JournalEntry, type JournalLine, journalSources } from '../../../core/journal/entry.ts'
import { messageOf, plural } from '../../../util/words.ts'
import { firstCommand } from '../../control/paths.ts'
import { requestOfEntry, type SentRequest } from '../../control/send.ts'
import { baseUrl, call } from './api.ts'
import { Action, attempt, Check, Citation, Code, Head, Select, say, statusText, Text, Time } from './parts.tsx'
import { copy, RequestDetail, sourceText } from './request-detail.tsx'
import { composeRequest, sendRequest } from './send-request.tsx'
import { connections, type MockEvent, showInAddress, useData, useEvents, useHash, useKept } from './state.ts'

const maxKept = 1_000
/** How many rows the table has at first; a longer table would slow down the page. */
const pageSize = 200
const narrowPage = matchMedia('(max-width: 900px)')

const noFilter = { text: '', status: '', caller: '', source: '', isViolating: false }
type Filter = typeof noFilter

type Lines = {
  /** Newest first. */
  readonly lines: readonly JournalLine[]
  /** Requests to the mock before it was started again, which it no longer knows. */
  readonly earlier: readonly JournalLine[]
  /** `connections` when the lines were loaded. */
  readonly connection: number
}

const noLines: Lines = { lines: [], earlier: [], connection: 0 }

export const RequestsView = () => {
  const [kept, show] = useKept<Lines>('lines', noLines)
  const { lines, earlier } = kept
  const current = useRef(kept)
  current.current = kept
  const [filter, setFilter] = useKept<Filter>('filter', noFilter)
  const [maxShown, setMaxShown] = useState(pageSize)
  const [entry, setEntry] = useState<JournalEntry>()
  const [, item] = useHash()
  const load = useCallback(async () => {
    const { requests } = await call<{ requests: JournalLine[] }>('GET', 'requests')
    const { lines: known, earlier, connection } = current.current
    const gone = connection !== connections && isRestarted(known, requests) ? known : []
    show({ lines: requests.toReversed(), earlier: [...gone, ...earlier], connection: connections })
  }, [])
  useEffect(() => void load().catch(() => undefined), [load])
  useEvents(
    useCallback(
      (event: MockEvent) => {
        if ('subject' in event) {
          if (['requests', 'all'].includes(event.subject)) void load().catch(() => undefined)
          return
        }
        const { lines: known } = current.current
        const newest = known[0]?.id ?? 0
        const added = event.lines.filter(({ id }) => id > newest).toReversed()
        show({ ...current.current, lines: [...added, ...known].slice(0, maxKept) })
      },
      [load],
    ),
  )

  const open = (id: number): void => showInAddress(`#requests/${id}`)
  const close = (): void => {
    const id = entry?.id
    setEntry(undefined)
    showInAddress('#requests')
    requestAnimationFrame(() => rowLink(id)?.focus())
  }
  useEffect(() => {
    if (item === undefined) return setEntry(undefined)
    call<JournalEntry>('GET', `requests/${item}`).then(setEntry, (error: unknown) => {
      say(messageOf(error))
      showInAddress('#requests')
    })
  }, [item])

  const callers = [...new Set(lines.flatMap(({ caller = [] }) => caller))].sort()
  const showSent = async (id: number): Promise<void> => {
    await load()
    open(id)
  }
  const compose = (given?: SentRequest) => composeRequest({ given, callers, sent: (id) => void showSent(id) })
  const sendAgain = (id: number) =>
    attempt('Sent.', async () => showSent((await call<{ id: number }>('POST', `requests/${id}/replay`)).id))
  const clear = async (): Promise<void> => {
    await call('DELETE', 'requests')
    show({ ...noLines, connection: connections })
    close()
  }

  const found = lines.filter((line) => matches(line, filter))
  const bind = (name: 'text' | 'status' | 'caller' | 'source') => ({
    value: filter[name],
    set: (value: string) => setFilter({ ...filter, [name]: value }),
  })
  const violating = (isViolating: boolean) => setFilter({ ...filter, isViolating })
  return (
    <div class="split">
      <div>
        <div class="tools">
          <Text name="Filter" type="search" {...bind('text')} placeholder="path, status, caller…" />
          <Select name="Status" {...bind('status')} options={statusFilters} />
          <Select name="Caller" {...bind('caller')} options={[['', 'all'], ...callers]} />
          <Select name="Source" {...bind('source')} options={[['', 'all'], ...journalSources]} />
          <Check name="Violations only" isOn={filter.isViolating} set={violating} />
          <Action name="Clear" run={() => attempt('Requests cleared.', clear)} />
          <Action name="Send a request…" class="primary" aria-haspopup="dialog" run={() => compose()} />
        </div>
        {lines.length + earlier.length > 0 && (
          <div class="scroll">
            <Table lines={found.slice(0, maxShown)} earlier={earlier} openId={entry?.id} open={open} />
          </div>
        )}
        <p class="quiet" role="status">
          {summary(lines.length, found.length, maxShown)}
        </p>
        {found.length > maxShown && (
          <button type="button" onClick={() => setMaxShown(maxShown + pageSize)}>
            Show more
          </button>
        )}
        {lines.length > 0 && found.length === 0 && (
          <button type="button" onClick={() => setFilter(noFilter)}>
            Clear the filters
          </button>
        )}
        {lines.length + earlier.length === 0 && <FirstRequest sent={(id) => void showSent(id)} />}
      </div>
      {entry !== undefined && (
        <Detail close={close} id={entry.id} name={`Request ${entry.method} ${entry.url}`}>
          <RequestDetail
            entry={entry}
            close={close}
            sendAgain={() => sendAgain(entry.id)}
            edit={() => compose(editable(entry))}
          />
        </Detail>
      )}
    </div>
  )
}

/** The journal of a mock that has started again lacks the newest request that the page knows. */
const isRestarted = ([newest]: readonly JournalLine[], requests: readonly JournalLine[]): boolean =>
  newest !== undefined && requests.find(({ id }) => id === newest.id)?.time !== newest.time

const rowLink = (id: number | undefined) => document.querySelector<HTMLElement>(`.requests [data-key="${id}"]`)

const matches = (line: JournalLine, { text, status, caller, source, isViolating }: Filter): boolean => {
  if (isViolating && line.violations.length === 0) return false
  if (status !== '' && Math.floor(line.status / 100) !== Number(status)) return false
  if ((caller !== '' && line.caller !== caller) || (source !== '' && line.source !== source)) return false
  const { method, url, problem = '' } = line
  const parts = [method, url, shownStatus(line.status), line.caller ?? '', sourceText(line), problem]
  const shown = parts.join(' ').toLowerCase()
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word))
}

const summary = (all: number, found: number, maxShown: number): string => {
  if (all === 0) return 'No requests yet. They appear here as they arrive.'
  return [
    found === all ? plural(all, 'request') : `${found === 0 ? 'none' : found} of ${plural(all, 'request')}`,
    ...(found > maxShown ? [`showing the latest ${maxShown}`] : []),
  ].join(', ')
}

type TableProps = Pick<Lines, 'lines' | 'earlier'> & {
  readonly openId: number | undefined
  readonly open: (id: number) => void
}

/** The list is one tab stop: the arrow keys move from row to row. */
const Table = ({ lines, earlier, openId, open }: TableProps) => {
  const [focusedId, setFocusedId] = useState<number>()
  const stop = lines.find(({ id }) => id === (openId ?? focusedId))?.id ?? lines[0]?.id
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const at = lines.findIndex(({ id }) => id === Number((event.target as HTMLElement).dataset.key))
    const next = step === undefined || at < 0 ? undefined : lines[at + step]
    if (step === undefined) return
    event.preventDefault()
    if (next === undefined) return
    setFocusedId(next.id)
    rowLink(next.id)?.focus()
  }
  return (
    <table class="requests">
      <Head columns={['Time', 'Method', 'Path', 'Status', 'Caller', 'Source', 'ms']} />
      <tbody onKeyDown={move}>
        {lines.map((line) => (
          <Row key={line.id} line={line} isOpen={line.id === openId} isStop={line.id === stop} open={open} />
        ))}
      </tbody>
      {earlier.length > 0 && (
        <tbody class="earlier">
          <tr>
            <td colSpan={7}>Before the mock was started again, which no longer knows these requests</td>
          </tr>
          {earlier.slice(0, pageSize).map((line) => (
            <Row key={`${line.id} ${line.time}`} line={line} isOpen={false} isStop={false} />
          ))}
        </tbody>
      )}
    </table>
  )
}

type RowProps = {
  readonly line: JournalLine
  readonly isOpen: boolean
  readonly isStop: boolean
  /** Missing for a request from before a restart of the mock. */
  readonly open?: (id: number) => void
}

const Row = ({ line, isOpen, isStop, open }: RowProps) => (
  <tr class={isOpen ? 'chosen' : undefined} aria-current={isOpen} onClick={() => open?.(line.id)}>
    <td class="time">
      <Time at={line.time} />
    </td>
    <td class="method">{line.method}</td>
    <td class="path">
      {open === undefined ? (
        <span class="link">{line.url}</span>
      ) : (
        <button
          type="button"
          class="link path"
          title={line.url}
          data-key={line.id}
          tabIndex={isStop ? 0 : -1}
          onClick={(event) => {
            event.stopPropagation()
            open(line.id)
          }}
        >
          {line.url}
        </button>
      )}
      <Mark line={line} />
    </td>
    <td class={`status s${Math.floor(line.status / 100)}`} title={statusText(line.status)}>
      {shownStatus(line.status)}
    </td>
    <td class="caller">{line.caller ?? '–'}</td>
    <td class={`source ${line.source}`} title={sourceTitle(line)}>
      <SourceOf line={line} />
    </td>
    <td class="ms">{line.milliseconds.toFixed(1)}</td>
  </tr>
)

const SourceOf = ({ line }: { readonly line: JournalLine }) => {
  const [id] = line.decided?.split('=', 1) ?? line.assumptions
  const text = sourceText(line)
  if (line.source !== 'assumption' || line.fault !== undefined) return <span>{text}</span>
  return (
    <a href={`#assumptions/${id}`} tabIndex={-1} onClick={(event) => event.stopPropagation()}>
      {text}
    </a>
  )
}

const sourceTitle = ({ source, assumptions }: JournalLine): string =>
  assumptions.length === 0 ? source : `${source}: ${assumptions.join(', ')}`

const Mark = ({ line: { violations } }: { readonly line: JournalLine }) => {
  const [first] = violations
  if (first === undefined) return null
  const title = violations.map(({ section, detail }) => `${section}: ${detail}`).join('\n')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: keeps a click from the row
    <span class="mark" title={title} onClick={(event) => event.stopPropagation()}>
      violates <Citation sections={first.section} />
    </span>
  )
}

type DetailProps = {
  readonly id: number
  readonly name: string
  readonly close: () => void
  readonly children: preact.ComponentChildren
}

/** Next to the list, the detail takes no focus, so that the keyboard stays in the list. */
const Detail = ({ id, name, close, children }: DetailProps) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const place = (): void => {
      element.current?.close()
      if (narrowPage.matches) element.current?.showModal()
      else element.current?.show()
    }
    const active = document.activeElement as HTMLElement | null
    place()
    if (!narrowPage.matches) active?.focus()
    narrowPage.addEventListener('change', place)
    return () => narrowPage.removeEventListener('change', place)
  }, [])
  useEffect(() => element.current?.scrollTo(0, 0), [id])
  useEffect(() => {
    const closeByKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape' && document.querySelector('dialog:modal') === null) close()
    }
    addEventListener('keydown', closeByKey)
    return () => removeEventListener('keydown', closeByKey)
  }, [close])
  return (
    <dialog
      ref={element}
      class="detail"
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      {children}
    </dialog>
  )
}

const FirstRequest = ({ sent }: { readonly sent: (id: number) => void }) => {
  const { data } = useData<{ values: Assumptions }>('assumptions', 'assumptions')
  if (data === undefined) return null
  const command = firstCommand(baseUrl, data.values)
  const [, caller = 'alice'] = /Bearer ([^'"]+)/.exec(command) ?? []
  const send = () =>
    sendRequest({ method: 'GET', url: '/plants?limit=3', caller }).then(sent, (error: unknown) => say(messageOf(error)))
  return (
    <div class="panel hint">
      <h2>Send the first request</h2>
      <Code label="First request">{command}</Code>
      <p class="tools">
        <button type="button" onClick={() => copy('curl', command)}>
          Copy
        </button>
        <Action name="Send it" class="primary" run={send} />
      </p>
    </div>
  )
}

const statusFilters = [
  ['', 'all'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['0', 'reset'],
] as const

const editable = (entry: JournalEntry): SentRequest =>
  requestOfEntry(entry, (name) => ['accept', 'content-type'].includes(name))
