/** @jsxImportSource preact */
import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { ContractSection } from '../../../core/contract/sections.ts'
import { noResponse, reasonPhrase } from '../../../core/http/status.ts'
import { shorten } from '../../../util/text.ts'
import { messageOf } from '../../../util/words.ts'
import { boundCall, call } from './api.ts'

/** Whether the mock answers, so that it can be changed. */
export const Live = createContext(false)

type Undo = { readonly run: () => Promise<unknown>; readonly expired?: () => unknown }
type Message = { readonly text: string; readonly undo: Undo | undefined }

let showMessage = (_: Message): void => undefined
let showDialog = (_: Dialog | undefined): void => undefined

export const say = (text: string, undo?: Undo): void => showMessage({ text, undo })

const messageTime = { usual: 4_000, undo: 10_000 } as const

export const Toast = () => {
  const [message, setMessage] = useState<Message>()
  showMessage = setMessage
  useEffect(() => {
    if (message === undefined) return
    const { undo } = message
    const timer = setTimeout(() => setMessage(undefined), undo === undefined ? messageTime.usual : messageTime.undo)
    let isUndone = false
    current.current = () => {
      isUndone = true
      setMessage(undefined)
      void attempt('Undone.', async () => undo?.run())
    }
    return () => {
      clearTimeout(timer)
      if (!isUndone) undo?.expired?.()
    }
  }, [message])
  const current = useRef((): void => undefined)
  return (
    <p id="toast" role="status" aria-live="polite" class={message === undefined ? '' : 'shown'}>
      {message && shorten(message.text, maxShownText)}{' '}
      {message?.undo !== undefined && (
        <button type="button" class="small" onClick={() => current.current()}>
          Undo
        </button>
      )}
    </p>
  )
}

export const attempt = async (done: string, action: () => Promise<unknown>, undo?: Undo): Promise<void> => {
  try {
    await action()
    say(done, undo)
  } catch (error) {
    say(messageOf(error))
  }
}

/** As `attempt`, for an action that replaces plants: takes a snapshot first, which the undo button restores. */
export const attemptUndoable = (done: string, action: () => Promise<unknown>): Promise<void> => {
  const send = boundCall()
  const path = `snapshots/${encodeURIComponent(`undo ${crypto.randomUUID?.() ?? Math.random()}`)}`
  const expired = () => send('DELETE', path).catch(() => undefined)
  const undo: Undo = { run: () => send('POST', `${path}/restore`).finally(expired), expired }
  const run = async (): Promise<void> => {
    await send('PUT', path)
    await action().catch(async (error: unknown) => {
      await expired()
      throw error
    })
  }
  return attempt(done, run, undo)
}

type Attributes<T> = Omit<T, 'name' | 'ref'>

type ActionProps = Attributes<JSX.IntrinsicElements['button']> & { readonly name: string; readonly run: () => unknown }

export const Action = ({ name, run, disabled = false, ...rest }: ActionProps) => {
  const isLive = useContext(Live)
  return (
    <button {...(rest as object)} type="button" disabled={!isLive || disabled === true} onClick={() => void run()}>
      {name}
    </button>
  )
}

export const Submit = ({ name }: { readonly name: string }) => (
  <button type="submit" class="primary" disabled={!useContext(Live)}>
    {name}
  </button>
)

const Field = (props: {
  readonly name: string
  readonly problem?: string | undefined
  readonly children: ComponentChildren
}) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label class="field">
    <span>{props.name}</span>
    {props.children}
    {props.problem !== undefined && (
      <span class="problem" role="alert">
        {props.problem}
      </span>
    )}
  </label>
)

type TextProps = Attributes<JSX.IntrinsicElements['input']> & {
  readonly name: string
  readonly value: string
  readonly set: (value: string) => void
  readonly problem?: string | undefined
  readonly list?: string
}

export const Text = ({ name, set, problem, ...rest }: TextProps) => (
  <Field name={name} problem={problem}>
    <input
      autocomplete="off"
      spellcheck={false}
      {...(rest as object)}
      aria-invalid={problem !== undefined}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  </Field>
)

type AreaProps = Attributes<JSX.IntrinsicElements['textarea']> & Pick<TextProps, 'name' | 'value' | 'set'>

export const Area = ({ name, set, ...rest }: AreaProps) => (
  <Field name={name}>
    <textarea spellcheck={false} {...(rest as object)} onInput={({ currentTarget }) => set(currentTarget.value)} />
  </Field>
)

export type Option = string | readonly [value: string, text: string]

type SelectProps = {
  readonly name: string
  readonly value: string
  readonly set: (value: string) => void
  readonly options: readonly Option[]
}

export const options = (all: readonly Option[]) =>
  all.map((one) => {
    const [value, text] = typeof one === 'string' ? [one, one] : one
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })

export const Select = ({ name, value, set, options: all }: SelectProps) => (
  <Field name={name}>
    <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {options(all)}
    </select>
  </Field>
)

export const Check = (props: {
  readonly name: string
  readonly isOn: boolean
  readonly set: (isOn: boolean) => void
}) => (
  <label class="check">
    <input type="checkbox" checked={props.isOn} onChange={({ currentTarget }) => props.set(currentTarget.checked)} />
    {props.name}
  </label>
)

export const Form = (props: {
  readonly class: string
  readonly run: () => Promise<unknown>
  readonly children: ComponentChildren
  readonly submit: ComponentChildren
}) => {
  const [problem, setProblem] = useState('')
  const submit = (event: Event): void => {
    event.preventDefault()
    props.run().then(
      () => setProblem(''),
      (error: unknown) => setProblem(messageOf(error)),
    )
  }
  return (
    <form class={props.class} onSubmit={submit}>
      {props.children}
      <p class="problem" role="alert">
        {problem}
      </p>
      {props.submit}
    </form>
  )
}

type Dialog = { readonly title: string; readonly children: ComponentChildren }

export const openDialog = (title: string, children: ComponentChildren): void => showDialog({ title, children })
export const closeDialog = (): void => showDialog(undefined)

export const Dialogs = () => {
  const [dialog, setDialog] = useState<Dialog>()
  showDialog = setDialog
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const before = document.activeElement as HTMLElement | null
    if (!current.open) current.showModal()
    return () => before?.focus()
  }, [dialog === undefined])
  if (dialog === undefined) return null
  return (
    <dialog ref={element} class="modal" aria-labelledby="dialog-title" onClose={closeDialog}>
      <div class="head">
        <h2 id="dialog-title">{dialog.title}</h2>
      </div>
      {dialog.children}
      <button type="button" class="close" onClick={closeDialog}>
        Close
      </button>
    </dialog>
  )
}

export const Citation = ({ sections }: { readonly sections: string }) => (
  <span>
    {sections.split(', ').map((section, i) => (
      <span key={section}>
        {i > 0 && ', '}
        <button type="button" class="link cite" aria-haspopup="dialog" onClick={() => void showSection(section)}>
          contract {section}
        </button>
      </span>
    ))}
  </span>
)

const showSection = (section: string): Promise<void> =>
  call<{ sections: readonly ContractSection[] }>('GET', 'contract/sections').then(
    ({ sections }) => {
      const found = sections.find((other) => other.section === section)
      const { title = `Section ${section}`, text = 'The contract has no such section.' } = found ?? {}
      openDialog(title, <Code label={title}>{text.trim()}</Code>)
    },
    (error: unknown) => say(messageOf(error)),
  )

const successes: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' }

export const statusText = (status: number): string => {
  if (status === noResponse) return 'none: the connection was reset'
  const phrase = successes[status] ?? reasonPhrase(status)
  return phrase === 'Error' ? String(status) : `${status} ${phrase}`
}

/** The local time of an instant (ISO 8601), with UTC in its title. */
export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={`${at.slice(0, 10)} ${at.slice(11, 23)} UTC`}>
    {new Date(at).toLocaleTimeString(undefined, { hour12: false })}.{at.slice(20, 23)}
  </time>
)

export const Code = (props: {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  // biome-ignore lint/a11y: scrolls by the keyboard, as browsers and axe expect
  <pre role="region" tabIndex={0} aria-label={props.label} class={props.class}>
    {props.children}
  </pre>
)

/** The headings of a table; each is also the class of its column, in lower case. */
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

/** A text with its control and bidirectional characters, which could show it in another order, as escapes. */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** In characters: a longer name would push everything else off the screen. */
export const maxShownText = 500
