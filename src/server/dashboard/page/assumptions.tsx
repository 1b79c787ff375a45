/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Assumption, AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { JournalLine } from '../../../core/journal/entry.ts'
import type { Preview } from '../../../core/mock/recent-steps.ts'
import { shorten } from '../../../util/text.ts'
import { plural } from '../../../util/words.ts'
import { boundCall, call } from './api.ts'
import { Action, attempt, Check, Citation, Live, options, Text } from './parts.tsx'
import { showInAddress, useData, useHash, useKept } from './state.ts'

type Row = Omit<Assumption, 'meaning' | 'relies'> & {
  readonly value: AssumptionValue
  readonly meaning: string
  readonly provenance?: string
}

const recent = 'Behind recent responses'
const given = 'Set by a file, an option or here'

export const AssumptionsView = () => {
  const { data: { registry: rows = [] } = {}, load } = useData<{ registry: Row[] }>('assumptions', 'assumptions')
  const { data: { requests } = {} } = useData<{ requests: JournalLine[] }>('requests', 'requests')
  const [search, setSearch] = useKept('assumptions search', '')
  const [isOnlyChanged, setOnlyChanged] = useKept('assumptions changed', false)
  const [, addressed] = useHash()
  useEffect(() => {
    if (addressed === undefined) return
    setSearch(addressed)
    setOnlyChanged(false)
    showInAddress('#assumptions')
  }, [addressed])

  const counts = new Map<string, number>()
  for (const { decided } of requests ?? []) {
    const id = decided?.split('=', 1)[0] ?? ''
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const nameOf = (id: number): string => {
    const found = requests?.find((one) => one.id === id)
    return found === undefined ? `${id}` : shorten(`${found.method} ${found.url}`, maxShown)
  }
  const countOf = ({ id }: Row): number => counts.get(id) ?? 0
  const changed = rows.filter(isChanged)
  const wanted = search.trim().toLowerCase()
  const found = (isOnlyChanged ? changed : rows).filter(({ id, question }) =>
    `${id} ${question}`.toLowerCase().includes(wanted),
  )
  // A row keeps its group while the view is open, so that a changed row keeps its place and the focus.
  const places = useRef(new Map<string, string>())
  const placeOf = (row: Row): string => {
    const place = countOf(row) > 0 ? recent : isChanged(row) || row.provenance !== 'default' ? given : groupOf(row)
    if (requests !== undefined && !places.current.has(row.id)) places.current.set(row.id, place)
    return places.current.get(row.id) ?? place
  }
  const rowsOf = (place: string) =>
    found
      .filter((row) => placeOf(row) === place)
      .map((row) => <Point key={row.id} row={row} count={countOf(row)} nameOf={nameOf} load={load} />)
  const groups = [...new Set([...rows.filter(hasChoice), ...rows].map(groupOf))]
  const restore = () => assumeAll('Restored the defaults.', valuesOf(rows, 'default'), valuesOf(rows, 'value'), load)
  return (
    <>
      <div class="tools">
        <Text name="Search" type="search" value={search} set={setSearch} placeholder="name or question" />
        <Check name="Changed only" isOn={isOnlyChanged} set={setOnlyChanged} />
        {changed.length > 0 && <Action name="Restore defaults" run={restore} />}
      </div>
      <p class="quiet" role="status">
        {changed.length === 0
          ? 'All assumptions have their default values.'
          : `${plural(changed.length, 'assumption')} ${changed.length === 1 ? 'differs' : 'differ'} from the default.`}
      </p>
      {[recent, given].map((name) => (
        <section key={name} class="assumptions">
          {rowsOf(name).length > 0 && <h2>{name}</h2>}
          {rowsOf(name)}
        </section>
      ))}
      {groups.map((name) => (
        <details
          key={name}
          class="assumptions"
          hidden={rowsOf(name).length === 0}
          open={wanted !== '' || isOnlyChanged}
        >
          <summary>{name}</summary>
          {rowsOf(name)}
        </details>
      ))}
    </>
  )
}

const valuesOf = (rows: readonly Row[], of: 'default' | 'value') =>
  Object.fromEntries(rows.map((row) => [row.id, row[of]]))

const groupOf = (row: Row): string => (hasChoice(row) ? (row.id.split('.', 1)[0] ?? '') : 'Without alternatives')

const isChanged = (row: Row): boolean => row.value !== row.default

const hasChoice = ({ alternatives, further, form }: Row): boolean =>
  alternatives.length + further.length > 0 || form !== undefined

export const assume = (id: string, value: AssumptionValue, before: AssumptionValue, load?: () => unknown) =>
  assumeAll(`${id} is now ${value}.`, { [id]: value }, { [id]: before }, load)

const assumeAll = (done: string, values: object, before: object, load?: () => unknown): Promise<void> => {
  // Undo changes the same session, also after another one was selected.
  const send = boundCall()
  const set = (to: object) => send('PATCH', 'assumptions', to).finally(load)
  return attempt(done, () => set(values), { run: () => set(before) })
}

type PointProps = {
  readonly row: Row
  /** How many responses it decided most noticeably. */
  readonly count: number
  readonly nameOf: (requestId: number) => string
  readonly load: () => unknown
}

const Point = ({ row, count, nameOf, load }: PointProps) => {
  const [chosen, setChosen] = useState<AssumptionValue>()
  const [preview, setPreview] = useState<Preview>()
  const choose = async (value: AssumptionValue): Promise<void> => {
    setPreview(undefined)
    setChosen(value)
    const found = await call<Preview>('POST', 'assumptions/preview', { [row.id]: value }).catch(() => undefined)
    if (found === undefined || found.differing === 0) return apply(value)
    setPreview(found)
  }
  const cancel = (): void => {
    setChosen(undefined)
    setPreview(undefined)
  }
  const apply = async (value: AssumptionValue): Promise<void> => {
    await assume(row.id, value, row.value, load)
    cancel()
  }
  const { provenance } = row
  return (
    <article class={isChanged(row) ? 'point changed' : 'point'} data-id={row.id}>
      <div>
        <h3>{row.id}</h3>
        <p>{row.question}</p>
      </div>
      <div class="choice">
        <Choice row={row} value={chosen ?? row.value} choose={(value) => void choose(value)} />
        {preview !== undefined && chosen !== undefined && (
          <div class="preview" role="status">
            <p>
              {preview.differing} of the last {plural(preview.total, 'response')} would differ:{' '}
              {preview.requests.map((id, i) => (
                <span key={id}>
                  {i > 0 && ', '}
                  <a href={`#requests/${id}`}>{nameOf(id)}</a>
                </span>
              ))}
            </p>
            <Action name="Apply" class="small primary" run={() => apply(chosen)} />{' '}
            <button type="button" class="small" onClick={cancel}>
              Cancel
            </button>
          </div>
        )}
      </div>
      <div class="quiet">
        <p>{row.meaning}</p>
        <p>
          <Citation sections={row.section} />
          {row.rare && ' · rare'}
          {provenance !== undefined && provenance !== 'default' && ` · ${provenance}`}
          {count > 0 && ` · decided ${plural(count, 'response')}`}
        </p>
      </div>
    </article>
  )
}

const maxShown = 40
const typed = 'other'

type ChoiceProps = {
  readonly row: Row
  readonly value: AssumptionValue
  readonly choose: (value: AssumptionValue) => void
}

const Choice = ({ row, value, choose }: ChoiceProps) => {
  const [isTyping, setTyping] = useState(false)
  const named: readonly AssumptionValue[] = [row.default, ...row.alternatives, ...row.further]
  const values = [...new Set([...named, value])]
  const [text, setText] = useState(`${named.includes(row.value) ? (row.samples[0] ?? row.value) : row.value}`)
  const labelOf = (one: AssumptionValue): string =>
    `${shorten(`${one}`, maxShown)}${one === row.default ? ' (default)' : ''}`
  const select = (chosen: string): void => {
    const found = values.find((one) => `${one}` === chosen)
    setTyping(found === undefined)
    if (found !== undefined) choose(found)
  }
  return (
    <Live.Consumer>
      {(isLive) => (
        <>
          <select
            aria-label={row.id}
            value={isTyping ? typed : `${value}`}
            disabled={!isLive || !hasChoice(row)}
            onChange={({ currentTarget }) => select(currentTarget.value)}
          >
            {options([
              ...values.map((one) => [`${one}`, labelOf(one)] as const),
              ...(row.form === undefined ? [] : [[typed, `${row.form}…`] as const]),
            ])}
          </select>
          {isTyping && (
            <form
              class="parameter"
              onSubmit={(event) => {
                event.preventDefault()
                setTyping(false)
                choose(/^\d+$/.test(text) ? Number(text) : text)
              }}
            >
              <textarea
                rows={1}
                required
                autofocus
                spellcheck={false}
                aria-label={`${row.id}: value`}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
              <button type="submit">Set</button>
            </form>
          )}
        </>
      )}
    </Live.Consumer>
  )
}
