/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import type { FixturePlant } from '../../../core/contract/schemas.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'
import { exactJson } from '../../../util/exact-json.ts'
import { isJsonObject } from '../../../util/json.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { Action, Button, Check, Form, Head, options, Select, short, statusText, Text, type Values } from './parts.tsx'
import { sendRequest } from './send-request.tsx'
import { act, closeDialog, openDialog, reload, say, useData, useFilter } from './state.ts'

const maxShown = 500

type PlantProps = { readonly plant: FixturePlant }

export const PlantsView = () => {
  const { plants = [] } = useData<{ plants: FixturePlant[] }>('plants?callers=pseudonyms', 'plants', 'requests')
  const { filter, bind, clear } = useFilter('plants filter', { text: '', caller: '' })
  const { text, caller } = filter
  const callers = [...new Set(plants.flatMap(({ access = [] }) => access))].sort()
  const wanted = text.trim().toLowerCase()
  const found = plants.filter(
    ({ id, name, tag, access }) =>
      (!callers.includes(caller) || access === undefined || access.includes(caller)) &&
      `${id ?? ''} ${name} ${tag}`.toLowerCase().includes(wanted),
  )
  return (
    <div class="split">
      <div>
        <div class="tools">
          <Text label="Search" type="search" {...bind('text')} placeholder="name, tag or ID" />
          <Select label="Visible to" {...bind('caller')} options={[['', 'any caller'], ...callers]} />
        </div>
        <div class="scroll">
          <table class="plants">
            <Head columns={['ID', 'Name', 'Tag', 'Access', 'Actions']} />
            <tbody>
              {found.slice(0, maxShown).map((plant, i) => (
                <PlantRow key={i} plant={plant} />
              ))}
            </tbody>
          </table>
        </div>
        <p class="quiet" role="status">
          {found.length < plants.length && `${found.length || 'none'} of `}
          {plural(plants.length, 'plant')}
          {found.length > maxShown && `, showing the first ${maxShown}`}
        </p>
        {found.length === 0 && plants.length > 0 && <Button name="Clear the filters" run={clear} />}
        {plants.length === 0 && <p>The mock has no plants. Add one, load fixtures, or let your client create one.</p>}
      </div>
      <aside class="side">
        <AddPlant plants={plants} callers={callers} />
        <Fixtures />
      </aside>
    </div>
  )
}

const PlantRow = ({ plant }: PlantProps) => {
  const { id, name, tag, access } = plant
  const label = short(name) || 'the plant'
  const remove = () => changeOne('POST', 'plants/remove', { plants: [plant] })
  const restore = () => call('POST', 'plants?callers=pseudonyms', { plants: [plant] })
  return (
    <tr>
      <td class="id">{id?.toString() ?? '–'}</td>
      <td class="name">
        <bdi>{short(name) || '(empty)'}</bdi>
      </td>
      <td class="tag">
        {typeof tag === 'string' ? <bdi>{short(tag) || '(empty)'}</bdi> : tag === null ? 'null' : '–'}
      </td>
      <td class="access">{access === undefined ? 'everyone' : short(access.join(', ')) || 'nobody'}</td>
      <td class="actions">
        <Action
          name="Edit"
          class="small"
          aria-label={`Edit ${label}`}
          aria-haspopup="dialog"
          run={() => openDialog('Edit plant', () => <EditPlant plant={plant} />)}
        />{' '}
        <Action
          name="Delete"
          class="small"
          aria-label={`Delete ${label}`}
          run={() => act(`Deleted ${label}.`, remove, restore)}
        />
      </td>
    </tr>
  )
}

const changeOne = async (method: string, path: string, body: object): Promise<void> => {
  const { changed } = await call<{ changed: number }>(method, `${path}?callers=pseudonyms`, body)
  if (changed === 0)
    throw new Error('This plant has changed in the meantime. Close this dialog, and open the plant again.')
}

/** Text that is no number stays text, because the mock explains the mistake when it refuses the plant. */
const numberOr = (text: string): number | bigint | string => {
  if (text.trim() === '' || !Number.isFinite(Number(text))) return text
  const isLarge = /^\s*-?\d+\s*$/.test(text) && !Number.isSafeInteger(Number(text))
  return isLarge ? BigInt(text) : Number(text)
}

const EditPlant = ({ plant }: PlantProps) => {
  const [isOfAll, setOfAll] = useState(plant.access === undefined)
  const save = async ({ id = '', name = '', tag = '', callers = '' }: Values): Promise<void> => {
    const patch = {
      id: id.trim() === '' ? null : numberOr(id),
      name,
      tag: typeof plant.tag !== 'string' && tag === '' ? undefined : tag,
      access: isOfAll ? null : callers.split(/[\s,]+/).filter((caller) => caller !== ''),
    }
    await changeOne('PATCH', 'plants', { plants: [plant], patch })
    closeDialog()
    say(`Saved ${name}.`)
  }
  return (
    <Form run={save} submit="Save">
      <Text label="ID" name="id" defaultValue={plant.id?.toString()} inputMode="numeric" placeholder="none" />
      <Text label="Name" name="name" defaultValue={plant.name} />
      <Text label="Tag" name="tag" defaultValue={plant.tag ?? ''} />
      <Check name="Every caller may access it" value={isOfAll} set={setOfAll} />
      <Text
        label="Callers (pseudonyms, or tokens of new callers)"
        name="callers"
        defaultValue={plant.access?.join(', ')}
        placeholder="caller-1, alice"
        disabled={isOfAll}
      />
    </Form>
  )
}

type AddProps = { readonly plants: readonly FixturePlant[]; readonly callers: readonly string[] }

/** Creates the plant like a client, because the form shows how the service refuses a create. */
const AddPlant = ({ plants, callers }: AddProps) => {
  const [chosen, setCaller] = useState<string>()
  const [problems, setProblems] = useState<Values>({})
  const nextId = plants.reduce((most, { id }) => Math.max(most, Number(id ?? 0)), 0) + 1
  const caller = chosen ?? callers[0] ?? 'alice'
  const add = async ({ id = '', name = '', tag = '' }: Values, form: HTMLFormElement): Promise<void> => {
    const body = exactJson({ id: numberOr(id), name, tag })
    const headers = { 'content-type': 'application/json' }
    const entryId = await sendRequest({ method: 'POST', url: '/plants', headers, body, caller })
    const entry = await call<JournalEntry>('GET', `requests/${entryId}`)
    setProblems({})
    if (entry.status < 200 || entry.status >= 300) return setProblems(refusalsOf(entry))
    await reload()
    form.reset()
    say(`Added ${name}.`)
  }
  return (
    <Form run={add} submit="Add">
      <h2>Add a plant</h2>
      <Text label="ID" name="id" defaultValue={`${nextId}`} inputMode="numeric" problem={problems.id} />
      <Text label="Name" name="name" problem={problems.name} />
      <Text label="Tag" name="tag" problem={problems.tag} />
      <Text
        label="Caller (pseudonym or token)"
        value={caller}
        set={setCaller}
        list="callers-of-plants"
        problem={problems.caller}
      />
      <datalist id="callers-of-plants">{options(callers)}</datalist>
    </Form>
  )
}

/** @throws Error with the refusal if the refusal concerns no field of the form. */
const refusalsOf = ({ status, response }: JournalEntry): Values => {
  const { json, body = `Status ${statusText(status)}` } = response
  // `error.body` decides whether a refusal has `detail`, `message` or `errors`.
  const { detail, message = body, errors } = isJsonObject(json) ? json : {}
  const text = short(`${detail ?? message}`)
  if (status === 401 || status === 403) return { caller: text }
  const invalid = Array.isArray(errors) ? errors.filter(isJsonObject) : []
  const names = invalid.map(({ pointer }) => ['id', 'name', 'tag'].find((name) => pointer === `#/${name}`))
  if (names.length === 0 || names.includes(undefined)) throw new Error(text)
  const textOf = (i: number) => (names.length === 1 ? text : short(`${names[i]} ${invalid[i]?.detail}.`))
  return Object.fromEntries(names.map((name, i) => [name, textOf(i)]))
}

const Fixtures = () => {
  const { fixtures = [] } = useData<{ fixtures: string[] }>('fixtures')
  const [chosen, setChosen] = useState('')
  const name = chosen || (fixtures[0] ?? '')
  return (
    <>
      <h2>Fixtures</h2>
      <div class="tools">
        <Select label="Built-in fixtures" value={name} set={setChosen} options={fixtures} />
        <Action name="Replace plants" run={() => replace(`Loaded ${name}.`, () => call('PUT', `fixtures/${name}`))} />
      </div>
      <div class="tools">
        <Action
          name="Reset the mock"
          title="Undo restores plants and assumptions, but not faults"
          run={() => replace('Restored the initial state.', () => call('POST', 'reset'))}
        />
        <Action name="Remove all plants" run={() => replace('Removed all plants.', () => call('DELETE', 'plants'))} />
      </div>
    </>
  )
}

/** Undo restores a snapshot, because the page knows only pseudonyms of the callers. */
const replace = (done: string, action: () => Promise<unknown>): Promise<void> => {
  const run = async (): Promise<string> => {
    const { name } = await call<{ name: string }>('POST', 'snapshots')
    await action()
    return name
  }
  const undo = async (name: string): Promise<void> => {
    await call('POST', `snapshots/${name}/restore`)
    await call('DELETE', `snapshots/${name}`)
  }
  return act(done, run, undo)
}
