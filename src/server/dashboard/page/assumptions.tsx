/** @jsxImportSource preact */
import { useRef, useState } from 'preact/hooks'
import type { Assumption, AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { Preview } from '../../../core/mock/recent-steps.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { Action, Button, brief, Check, Citation, listed, options, Text } from './parts.tsx'
import { act, isLive, showInAddress, state, useData, useKept } from './state.ts'

export type Row = Omit<Assumption, 'meaning' | 'relies'> & {
  readonly value: AssumptionValue
  readonly meaning: string
  readonly provenance?: string
}

const recent = 'Behind recent responses'
const given = 'Set by a file, an option or here'

export const AssumptionsView = () => {
  const { registry: rows } = useData<{ registry: Row[] }>('assumptions', 'assumptions')
  const [isOnlyChanged, setOnlyChanged] = useKept('assumptions changed', false)
  // A row keeps its group after a change of its value, because moving the row would lose the focus.
  const places = useRef(new Map<string, string>())
  if (rows === undefined || !state.areLinesLoaded) return null
  const { item: search = '' } = state
  const counts = new Map<string, number>()
  for (const { decided } of state.lines) {
    const id = decided?.split('=', 1)[0] ?? ''
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const changed = rows.filter(isChanged)
  const wanted = search.trim().toLowerCase()
  const found = (isOnlyChanged ? changed : rows).filter(({ id, question }) =>
    `${id} ${question}`.toLowerCase().includes(wanted),
  )
  const placeOf = (row: Row): string => {
    const isGiven = isChanged(row) || row.provenance !== 'default'
    const place = places.current.get(row.id) ?? (counts.has(row.id) ? recent : isGiven ? given : groupOf(row))
    places.current.set(row.id, place)
    return place
  }
  const rowsOf = (place: string) =>
    found
      .filter((row) => placeOf(row) === place)
      .map((row) => <Point key={row.id} row={row} decidedResponses={counts.get(row.id) ?? 0} />)
  const searchFor = (text: string) => showInAddress(`#assumptions/${encodeURIComponent(text)}`)
  const clear = () => {
    setOnlyChanged(false)
    searchFor('')
  }
  const restore = () => assume('Restored the defaults.', valuesOf(changed, 'default'), valuesOf(changed, 'value'))
  const groups = [...new Set([...rows.filter(hasChoice), ...rows].map(groupOf))]
  return (
    <>
      <div class="tools">
        <Text label="Search" type="search" value={search} set={searchFor} placeholder="name or question" />
        <Check name="Changed only" value={isOnlyChanged} set={setOnlyChanged} />
        {changed.length > 0 && <Action name="Restore defaults" run={restore} />}
      </div>
      <p class="quiet" role="status">
        {found.length === 0 && wanted !== ''
          ? 'No assumption matches.'
          : changed.length === 0
            ? 'Assumptions answer questions that the contract leaves open. All assumptions have their default values.'
            : `${plural(changed.length, 'assumption')} ${changed.length === 1 ? 'differs' : 'differ'} from the default.`}
      </p>
      {found.length === 0 && <Button name="Clear the filters" run={clear} />}
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
          <summary>{`${name} (${rowsOf(name).length})`}</summary>
          {rowsOf(name)}
        </details>
      ))}
    </>
  )
}

const valuesOf = (rows: readonly Row[], of: 'default' | 'value') =>
  Object.fromEntries(rows.map((row) => [row.id, row[of]]))

const groupOf = (row: Row): string => (hasChoice(row) ? (row.id.split('.', 1)[0] ?? '') : 'Without alternatives')

export const isChanged = (row: Row): boolean => row.value !== row.default

const hasChoice = ({ alternatives, further, form }: Row): boolean =>
  alternatives.length + further.length > 0 || form !== undefined

export const assume = (done: string, values: object, before: object): Promise<void> =>
  act(
    done,
    () => call('PATCH', 'assumptions', values),
    () => call('PATCH', 'assumptions', before),
  )

const pathOf = (requestId: number): string => {
  const found = state.lines.find(({ id }) => id === requestId)
  return found === undefined ? `${requestId}` : brief(`${found.method} ${found.url}`)
}

const typed = 'other'

type PointProps = {
  readonly row: Row
  readonly decidedResponses: number
}

const Point = ({ row, decidedResponses }: PointProps) => {
  const [preview, setPreview] = useState<Preview & { readonly value: AssumptionValue }>()
  const choose = async (value: AssumptionValue): Promise<void> => {
    const found = await call<Preview>('POST', 'assumptions/preview', { [row.id]: value }).catch(() => undefined)
    if (found === undefined || found.differing === 0) await apply(value)
    else setPreview({ ...found, value })
  }
  const apply = async (value: AssumptionValue): Promise<void> => {
    await assume(`${row.id} is now ${value}.`, { [row.id]: value }, { [row.id]: row.value })
    setPreview(undefined)
  }
  const { provenance = 'default' } = row
  const [isTyping, setTyping] = useState(false)
  const named: readonly AssumptionValue[] = [row.default, ...row.alternatives, ...row.further]
  const value = preview?.value ?? row.value
  const values = [...new Set([...named, value])]
  const select = (chosen: string): void => {
    const found = values.find((one) => `${one}` === chosen)
    setTyping(found === undefined)
    if (found !== undefined) void choose(found)
  }
  return (
    <article class={isChanged(row) ? 'point changed' : 'point'}>
      <div>
        <h3>{row.id}</h3>
        <p>{row.question}</p>
      </div>
      <div class="choice">
        <select
          aria-label={row.id}
          value={isTyping ? typed : `${value}`}
          disabled={!isLive() || !hasChoice(row)}
          onChange={({ currentTarget }) => select(currentTarget.value)}
        >
          {options([
            ...values.map((one) => [`${one}`, `${brief(one)}${one === row.default ? ' (default)' : ''}`] as const),
            ...(row.form === undefined ? [] : [[typed, `${row.form}…`] as const]),
          ])}
        </select>
        {isTyping && (
          <form
            class="parameter"
            onSubmit={(event) => {
              event.preventDefault()
              const text = `${new FormData(event.currentTarget).get('value')}`
              setTyping(false)
              void choose(/^\d+$/.test(text) ? Number(text) : text)
            }}
          >
            <textarea
              name="value"
              rows={1}
              required
              autofocus
              spellcheck={false}
              aria-label={`${row.id}: value`}
              defaultValue={`${named.includes(row.value) ? (row.samples[0] ?? row.value) : row.value}`}
            />
            <button type="submit">Set</button>
          </form>
        )}
        {preview !== undefined && (
          <div class="preview" role="status">
            <p>
              {preview.differing} of the last {plural(preview.total, 'response')} would differ:{' '}
              {listed(preview.requests, (id) => (
                <a href={`#requests/${id}`}>{pathOf(id)}</a>
              ))}
            </p>
            <Action name="Apply" class="small primary" run={() => apply(preview.value)} />{' '}
            <Button name="Cancel" class="small" run={() => setPreview(undefined)} />
          </div>
        )}
      </div>
      <div class="quiet">
        <p>{`${isTyping || preview !== undefined ? 'Now: ' : ''}${row.meaning}`}</p>
        <p>
          <Citation sections={row.section} />
          {isChanged(row) && ` · default: ${brief(row.default)}`}
          {row.rare && ' · rare'}
          {provenance !== 'default' && ` · ${provenance}`}
          {decidedResponses > 0 && ` · decided ${plural(decidedResponses, 'response')}`}
        </p>
      </div>
    </article>
  )
}
