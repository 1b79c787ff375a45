/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import type { AssumptionId, Assumptions, AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'
import type { AlternativeReply, Alternatives } from '../../../core/mock/recent-steps.ts'
import { jsonOrUndefined } from '../../../util/json.ts'
import { assume } from './assumptions.tsx'
import { Action, brief, Code, escapeControls, jsonLines, statusText } from './parts.tsx'
import { useData } from './state.ts'

type EntryProps = { readonly entry: JournalEntry }

export const Guesses = ({ entry }: EntryProps) => {
  const { values: inForce } = useData<{ values: Assumptions }>('assumptions', 'assumptions')
  const { values, alternatives = [] } = useData<Alternatives>(`requests/${entry.id}/alternatives`)
  const [first = '', decided] = entry.decided?.split(/=(.*)/s) ?? []
  const canDiffer = (id: string): boolean => alternatives.some((one) => one.id === id && !one.isSame)
  const ids = entry.assumptions.toSorted(
    (a, b) => Number(b === first) - Number(a === first) || Number(canDiffer(b)) - Number(canDiffer(a)),
  )
  return (
    <>
      {values === undefined && (
        <p class="quiet">The mock shows the effect of other values only for its latest 20 responses.</p>
      )}
      <ul class="plain guesses">
        {ids.map((id) => (
          <Guess
            key={id}
            id={id}
            valueThen={values?.[id] ?? (id === first ? decided : undefined)}
            inForce={inForce?.[id]}
            entry={entry}
            alternatives={alternatives.filter((one) => one.id === id)}
          />
        ))}
      </ul>
    </>
  )
}

type GuessProps = EntryProps & {
  readonly id: AssumptionId
  readonly valueThen: AssumptionValue | undefined
  readonly inForce: AssumptionValue | undefined
  readonly alternatives: readonly AlternativeReply[]
}

const Guess = ({ id, valueThen, inForce, entry, alternatives }: GuessProps) => {
  const [chosen, choose] = useState<AssumptionValue>()
  const differing = alternatives.filter(({ isSame }) => !isSame)
  const same = alternatives.filter(({ isSame }) => isSame)
  const other = differing.find((one) => one.value === chosen)
  return (
    <li class="guess">
      <p>
        <a href={`./#assumptions/${id}`}>{id}</a>
        {valueThen !== undefined && `=${brief(valueThen)}`}
        {valueThen !== undefined && inForce !== undefined && inForce !== valueThen && (
          <span class="quiet">{`, now ${brief(inForce)}`}</span>
        )}
      </p>
      {differing.length > 0 && (
        <p class="values">
          <span class="quiet">compare with: </span>
          {differing.map((one) => (
            <button
              key={one.value}
              type="button"
              class="small"
              aria-pressed={one === other}
              onClick={() => choose(one === other ? undefined : one.value)}
            >
              {brief(one.value)}
            </button>
          ))}
        </p>
      )}
      {same.length > 0 && <p class="quiet">the same with {same.map((one) => brief(one.value)).join(', ')}</p>}
      {other !== undefined && <Difference entry={entry} other={other} />}
      {other !== undefined && inForce !== undefined && inForce !== other.value && (
        <Action
          name={`Use ${id}=${brief(other.value)}`}
          class="small primary"
          run={() => assume(`${id} is now ${other.value}.`, { [id]: other.value }, { [id]: inForce })}
        />
      )}
    </li>
  )
}

const Difference = ({ entry, other }: EntryProps & { readonly other: AlternativeReply }) => {
  const { headers, body } = entry.response
  const before = linesOf(entry.status, headers['content-type'], body)
  const after = linesOf(other.status, other.contentType, other.body)
  return (
    <Code class="diff" label="Difference">
      {differenceOf(before, after).map(([mark, line]) =>
        mark === ' ' ? `  ${line}\n` : mark === '-' ? <del>{`- ${line}\n`}</del> : <ins>{`+ ${line}\n`}</ins>,
      )}
    </Code>
  )
}

const linesOf = (status: number, contentType = 'none', body = ''): readonly string[] => {
  const json = jsonOrUndefined(body)
  const lines = json === undefined ? body.split('\n') : jsonLines(json)
  const shown = Array.isArray(json) ? json.map((one) => escapeControls(JSON.stringify(one))) : lines
  return [statusText(status), `content-type: ${contentType}`, ...shown]
}

type Line = readonly [mark: '-' | '+' | ' ', text: string]

const contextLines = 1

const differenceOf = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const marked = (mark: Line[0], lines: readonly string[]) => lines.map((line): Line => [mark, line])
  return [
    ...marked(' ', before.slice(Math.max(0, start - contextLines), start)),
    ...marked('-', before.slice(start, before.length - end)),
    ...marked('+', after.slice(start, after.length - end)),
    ...marked(' ', before.slice(before.length - end, before.length - end + contextLines)),
  ]
}
