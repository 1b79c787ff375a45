/** @jsxImportSource preact */
import type { ComponentChildren, JSX, TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { ContractSection } from '../../../core/contract/sections.ts'
import { noResponse, reasonPhrase } from '../../../core/http/status.ts'
import { shorten } from '../../../util/text.ts'
import { messageOf } from '../../../util/words.ts'
import { call } from './api.ts'
import { isLive, openDialog, say, state, undoLatest } from './state.ts'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'name' | 'ref'> & {
  readonly name: string
  readonly run: () => unknown
}

export const Button = ({ name, run, ...rest }: ButtonProps) => (
  <button {...(rest as object)} type="button" onClick={() => void run()}>
    {name}
  </button>
)

export const Action = ({ disabled = false, ...rest }: ButtonProps) => (
  <Button {...rest} disabled={!isLive() || disabled === true} />
)

export const Undo = () => {
  const { done } = state.undoable.at(-1) ?? {}
  if (done === undefined) return null
  const name = state.message?.text === done ? 'Undo' : `Undo “${shorten(done, maxShownName)}”`
  return <Action name={name} class="small" run={undoLatest} />
}

export const Field = (props: { readonly label: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label class="field">
    <span>{props.label}</span>
    {props.children}
  </label>
)

type TextProps = Omit<JSX.IntrinsicElements['input'], 'ref'> & {
  readonly label: string
  readonly set?: (value: string) => void
  readonly problem?: string | undefined
  readonly list?: string
}

export const Text = ({ label, set, problem, ...rest }: TextProps) => (
  <Field label={label}>
    <input
      autocomplete="off"
      spellcheck={false}
      {...(rest as object)}
      aria-invalid={problem !== undefined}
      onInput={({ currentTarget }) => set?.(currentTarget.value)}
    />
    {problem !== undefined && (
      <span class="problem" role="alert">
        {problem}
      </span>
    )}
  </Field>
)

export type Option = string | readonly [value: string, text: string]

export const options = (all: readonly Option[]) =>
  all.map((one) => {
    const [value, text] = typeof one === 'string' ? [one, one] : one
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })

type SelectProps = {
  readonly label: string
  readonly name?: string
  readonly value?: string
  readonly set?: (value: string) => void
  readonly options: readonly Option[]
}

export const Select = ({ label, set, options: all, ...rest }: SelectProps) => (
  <Field label={label}>
    <select {...rest} onChange={({ currentTarget }) => set?.(currentTarget.value)}>
      {options(all)}
    </select>
  </Field>
)

type CheckProps = { readonly name: string; readonly value: boolean; readonly set: (value: boolean) => void }

export const Check = ({ name, value, set }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={value} onChange={({ currentTarget }) => set(currentTarget.checked)} />
    {name}
  </label>
)

export type Values = Readonly<Record<string, string>>

type FormProps = {
  readonly submit: string
  readonly run: (values: Values, form: HTMLFormElement) => Promise<unknown>
  readonly children: ComponentChildren
}

export const Form = ({ submit, run, children }: FormProps) => {
  const [problem, setProblem] = useState('')
  const send = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault()
    run(Object.fromEntries(new FormData(event.currentTarget)) as Values, event.currentTarget).then(
      () => setProblem(''),
      (error: unknown) => setProblem(short(messageOf(error))),
    )
  }
  return (
    <form class="add" onSubmit={send}>
      {children}
      <p class="problem" role="alert">
        {problem}
      </p>
      <button type="submit" class="primary" disabled={!isLive()}>
        {submit}
      </button>
    </form>
  )
}

export const listed = <T,>(items: readonly T[], show: (item: T) => ComponentChildren): ComponentChildren =>
  items.flatMap((item, i) => (i === 0 ? [show(item)] : [', ', show(item)]))

export const Citation = ({ sections }: { readonly sections: string }) => (
  <span>
    {listed(sections.split(', '), (section) => (
      <button type="button" class="link cite" aria-haspopup="dialog" onClick={() => void showSection(section)}>
        contract {section}
      </button>
    ))}
  </span>
)

const showSection = (section: string): Promise<void> =>
  call<{ sections: readonly ContractSection[] }>('GET', 'contract/sections').then(
    ({ sections }) => {
      const found = sections.find((other) => other.section === section)
      const { title = `Section ${section}`, text = 'The contract has no such section.' } = found ?? {}
      openDialog(title, () => <Code label={title}>{text.trim()}</Code>)
    },
    (error: unknown) => say(messageOf(error)),
  )

const successes: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' }

export const statusText = (status: number): string => {
  if (status === noResponse) return 'none: the connection was reset'
  const phrase = successes[status] ?? reasonPhrase(status)
  return phrase === 'Error' ? String(status) : `${status} ${phrase}`
}

export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={`${at.slice(0, 10)} ${at.slice(11, 23)} UTC`}>
    {new Date(at).toLocaleTimeString(undefined, { hour12: false })}.{at.slice(20, 23)}
  </time>
)

type CodeProps = { readonly label: string; readonly class?: string; readonly children: ComponentChildren }

export const Code = ({ label, children, ...rest }: CodeProps) => (
  // biome-ignore lint/a11y: scrolls by the keyboard, as browsers and axe expect
  <pre role="region" tabIndex={0} aria-label={label} {...rest}>
    {children}
  </pre>
)

export const Head = ({ columns }: { readonly columns: readonly string[] }) => (
  <thead>
    <tr>
      {columns.map((name) => (
        <th key={name} scope="col" class={name.toLowerCase()}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
)

const maxShownText = 500

const maxShownName = 40

/** Escapes control and bidirectional characters, which could hide text or change its visible order. */
export const escapeControls = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const short = (text: string): string => escapeControls(shorten(text, maxShownText))

export const jsonLines = (json: unknown): readonly string[] =>
  JSON.stringify(json, null, 2).split('\n').map(escapeControls)

export const brief = (value: string | number): string => shorten(`${value}`, maxShownName)
