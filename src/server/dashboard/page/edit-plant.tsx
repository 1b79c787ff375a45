/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import type { FixturePlant } from '../../../core/contract/schemas.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'
import { exactJson } from '../../../util/exact-json.ts'
import { isJsonObject } from '../../../util/json.ts'
import { call } from './api.ts'
import { Check, closeDialog, Form, openDialog, options, Submit, say, Text } from './parts.tsx'
import { sendRequest } from './send-request.tsx'
import { useTexts } from './state.ts'

/** Keeps text that is not a number: the mock then explains what is wrong. */
const numberOr = (text: string): number | bigint | string => {
  if (text.trim() === '' || !Number.isFinite(Number(text))) return text
  const isLarge = /^\s*-?\d+\s*$/.test(text) && !Number.isSafeInteger(Number(text))
  return isLarge ? BigInt(text) : Number(text)
}

type EditProps = { readonly plant: FixturePlant; readonly done: (text: string) => void }

export const editPlant = (props: EditProps): void => openDialog('Edit plant', <EditPlant {...props} />)

const EditPlant = ({ plant, done }: EditProps) => {
  const { texts, bind } = useTexts({
    id: plant.id?.toString() ?? '',
    name: plant.name,
    tag: plant.tag ?? '',
    callers: plant.access?.join(', ') ?? '',
  })
  const { id, name, tag, callers } = texts
  const [isOfAll, setOfAll] = useState(plant.access === undefined)
  const save = async (): Promise<void> => {
    const patch = {
      id: id.trim() === '' ? null : numberOr(id),
      name,
      tag: typeof plant.tag !== 'string' && tag === '' ? undefined : tag,
      access: isOfAll ? null : callers.split(/[\s,]+/).filter((caller) => caller !== ''),
    }
    await changeOne('PATCH', 'plants', { plants: [plant], patch })
    closeDialog()
    done(`Saved ${name}.`)
  }
  return (
    <Form class="add" run={save} submit={<Submit name="Save" />}>
      <Text name="ID" {...bind('id')} inputMode="numeric" placeholder="none" />
      <Text name="Name" {...bind('name')} />
      <Text name="Tag" {...bind('tag')} />
      <Check name="Every caller may access it" isOn={isOfAll} set={setOfAll} />
      <Text
        name="Callers (pseudonyms, or tokens of new callers)"
        {...bind('callers')}
        placeholder="caller-1, alice"
        disabled={isOfAll}
      />
    </Form>
  )
}

/** Deletes one plant that equals `plant`. @throws Error if no equal plant exists any more. */
export const deletePlant = (plant: FixturePlant): Promise<void> =>
  changeOne('POST', 'plants/remove', { plants: [plant] })

const changeOne = async (method: string, path: string, body: object): Promise<void> => {
  const { changed } = await call<{ changed: number }>(method, `${path}?callers=pseudonyms`, body)
  if (changed === 0)
    throw new Error('This plant has changed in the meantime. Close this dialog, and open the plant again.')
}

type AddProps = {
  readonly plants: readonly FixturePlant[]
  readonly callers: readonly string[]
  readonly added: () => unknown
}

/** Sends the create to the service, as a client does, so that the form shows its refusal. */
export const AddPlant = ({ plants, callers, added }: AddProps) => {
  const [id, setId] = useState<string>()
  const [name, setName] = useState('')
  const [tag, setTag] = useState('')
  const [caller, setCaller] = useState<string>()
  const [refusal, setRefusal] = useState('')
  const nextId = String(plants.reduce((most, plant) => Math.max(most, Number(plant.id ?? 0)), 0) + 1)
  const by = caller ?? callers[0] ?? 'alice'
  const add = async (): Promise<void> => {
    const body = exactJson({ id: numberOr(id ?? nextId), name, tag })
    const headers = { 'content-type': 'application/json' }
    const entryId = await sendRequest({ method: 'POST', url: '/plants', headers, body, caller: by })
    const { status, response } = await call<JournalEntry>('GET', `requests/${entryId}`)
    const reason = status < 300 ? '' : reasonIn(response.json, response.body ?? `the status ${status}`)
    setRefusal(reason)
    if (reason !== '') return
    say(`Added ${name}.`)
    for (const clear of [setName, setTag]) clear('')
    setId(undefined)
    added()
  }
  const fields = [
    { field: 'id', name: 'ID', value: id ?? nextId, set: setId, inputMode: 'numeric' },
    { field: 'name', name: 'Name', value: name, set: setName },
    { field: 'tag', name: 'Tag', value: tag, set: setTag },
  ] as const
  const concerned = fields.find(({ field }) => refusal.startsWith(`${field} `))
  return (
    <Form class="add" run={add} submit={<Submit name="Add" />}>
      <h2>Add a plant</h2>
      {fields.map(({ field, ...rest }) => (
        <Text key={field} {...rest} problem={concerned?.field === field ? refusal : undefined} />
      ))}
      <Text
        name="Caller (pseudonym or token)"
        value={by}
        set={setCaller}
        list="callers-of-plants"
        problem={concerned === undefined && refusal !== '' ? refusal : undefined}
      />
      <datalist id="callers-of-plants">{options(callers)}</datalist>
    </Form>
  )
}

/** The sentence of a failure: `detail`, or `message` with some values of `error.body`. */
const reasonIn = (json: unknown, text: string): string => {
  const { detail, message } = isJsonObject(json) ? json : {}
  return String(detail ?? message ?? text)
}
