/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks'
import type { AssumptionId, Assumptions, AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'
import type { AlternativeReply, Alternatives } from '../../../core/mock/recent-steps.ts'
import { jsonOrUndefined } from '../../../util/json.ts'
import { shorten } from '../../../util/text.ts'
import { call } from './api.ts'
import { assume } from './assumptions.tsx'
import { Action, Code, statusText } from './parts.tsx'
import { useData } from './state.ts'

/** The mock knows what other values would have changed for its latest responses only. */
export const Guesses = ({ entry }: { readonly entry: JournalEntry }) => {
  const { data: { values: inForce } = {} } = useData<{ values: Assumptions }>('assumptions', 'assumptions')
  const [found, setFound] = useState<Alternatives>()
  useEffect(() => {
    setFound(undefined)
    call<Alternatives>('GET', `requests/${entry.id}/alternatives`).then(setFound, () => undefined)
  }, [entry.id, entry.time])
  const [first = '', decided] = entry.decided?.split(/=(.*)/s) ?? []
  const of = (id: string) => found?.alternatives.filter((one) => one.id === id)
  const canDiffer = (id: string): boolean => of(id)?.some(({ isSame }) => !isSame) === true
  const ids = entry.assumptions.toSorted(
    (a, b) => Number(b === first) - Number(a === first) || Number(canDiffer(b)) - Number(canDiffer(a)),
  )
  return (
    <>
      {found === undefined && (
        <p class="quiet">Only for its latest 20 responses, the mock knows what other values would have changed.</p>
      )}
      <ul class="plain guesses">
        {ids.map((id) => (
          <Guess
            key={id}
            id={id}
            value={found?.values[id] ?? (id === first ? decided : undefined)}
            inForce={inForce?.[id]}
            entry={entry}
            alternatives={of(id)}
          />
        ))}
      </ul>
    </>
  )
}

type GuessProps = {
  readonly id: AssumptionId
  /** The value when the mock responded; `undefined` if it is no longer known. */
  readonly value: AssumptionValue | undefined
  readonly inForce: AssumptionValue | undefined
  readonly entry: JournalEntry
  readonly alternatives: readonly AlternativeReply[] | undefined
}

const maxValue = 40

const Guess = ({ id, value, inForce, entry, alternatives }: GuessProps) => {
  const [chosen, choose] = useState<AlternativeReply>()
  const differing = alternatives?.filter(({ isSame }) => !isSame) ?? []
  const same = alternatives?.filter(({ isSame }) => isSame) ?? []
  return (
    <li class="guess">
      <p>
        <a href={`./#assumptions/${id}`}>{id}</a>
        {value !== undefined && `=${shorten(`${value}`, maxValue)}`}
        {value !== undefined && inForce !== value && (
          <span class="quiet">{`, now ${shorten(`${inForce}`, maxValue)}`}</span>
        )}
      </p>
      {differing.length > 0 && (
        <p class="values">
          <span class="quiet">would differ: </span>
          {differing.map((one) => (
            <button
              key={one.value}
              type="button"
              class="small"
              aria-pressed={one === chosen}
              onClick={() => choose(one === chosen ? undefined : one)}
            >
              {shorten(`${one.value}`, maxValue)}
            </button>
          ))}
        </p>
      )}
      {same.length > 0 && (
        <p class="quiet">the same with {same.map((one) => shorten(`${one.value}`, maxValue)).join(', ')}</p>
      )}
      {chosen !== undefined && (
        <>
          <Difference entry={entry} other={chosen} />
          {inForce !== undefined && inForce !== chosen.value && (
            <Action
              name={`Use ${id}=${shorten(`${chosen.value}`, maxValue)}`}
              class="small primary"
              run={() => assume(id, chosen.value, inForce)}
            />
          )}
        </>
      )}
    </li>
  )
}

const Difference = ({ entry, other }: { readonly entry: JournalEntry; readonly other: AlternativeReply }) => {
  const { response } = entry
  const before = [
    statusText(entry.status),
    `content-type: ${response.headers['content-type'] ?? 'none'}`,
    ...linesOf(response.body ?? ''),
  ]
  const after = [statusText(other.status), `content-type: ${other.contentType ?? 'none'}`, ...linesOf(other.body ?? '')]
  return (
    <Code class="diff" label="Difference">
      {differenceOf(before, after).map(([mark, line]) =>
        mark === ' ' ? `  ${line}\n` : mark === '-' ? <del>{`- ${line}\n`}</del> : <ins>{`+ ${line}\n`}</ins>,
      )}
    </Code>
  )
}

const linesOf = (body: string): readonly string[] => {
  if (body === '') return []
  const json = jsonOrUndefined(body)
  if (Array.isArray(json)) return json.map((one) => JSON.stringify(one))
  return (json === undefined ? body : JSON.stringify(json, null, 2)).split('\n')
}

type Line = readonly [mark: '-' | '+' | ' ', text: string]

/** Shows this many equal lines before and after the difference. */
const context = 2

/** The lines between the common beginning and the common end of two texts, with a few equal lines around them. */
const differenceOf = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const marked = (mark: Line[0], lines: readonly string[]) => lines.map((line): Line => [mark, line])
  return [
    ...marked(' ', before.slice(Math.max(0, start - context), start)),
    ...marked('-', before.slice(start, before.length - end)),
    ...marked('+', after.slice(start, after.length - end)),
    ...marked(' ', before.slice(before.length - end, before.length - end + context)),
  ]
}
