/** @jsxImportSource preact */
import { useState } from 'preact/hooks'
import type { FixturePlant } from '../../../core/contract/schemas.ts'
import { shorten } from '../../../util/text.ts'
import { plural } from '../../../util/words.ts'
import { boundCall, call } from './api.ts'
import { AddPlant, deletePlant, editPlant } from './edit-plant.tsx'
import { Action, attempt, attemptUndoable, Head, maxShownText, Select, say, Text, visible } from './parts.tsx'
import { useData, useKept } from './state.ts'

/** Limits the rows, because a longer table would slow down the page. The search finds the other plants. */
const maxShown = 500

export const PlantsView = () => {
  const { data: { plants = [] } = {}, load } = useData<{ plants: FixturePlant[] }>(
    'plants?callers=pseudonyms',
    'plants',
    'requests',
  )
  const [search, setSearch] = useKept('plants search', '')
  const [caller, setCaller] = useKept('plants caller', '')
  const callers = [...new Set(plants.flatMap(({ access = [] }) => access))].sort()
  const wanted = search.trim().toLowerCase()
  const found = plants.filter(
    ({ id, name, tag, access }) =>
      (!callers.includes(caller) || access === undefined || access.includes(caller)) &&
      `${id ?? ''} ${name} ${tag}`.toLowerCase().includes(wanted),
  )
  const change = (done: string, action: () => Promise<unknown>) => attemptUndoable(done, action).finally(load)
  const clear = (): void => {
    setSearch('')
    setCaller('')
  }
  return (
    <div class="split">
      <div>
        <div class="tools">
          <Text name="Search" type="search" value={search} set={setSearch} placeholder="name, tag or ID" />
          <Select name="Visible to" value={caller} set={setCaller} options={[['', 'everyone'], ...callers]} />
        </div>
        <div class="scroll">
          <table class="plants">
            <Head columns={['ID', 'Name', 'Tag', 'Access', 'Actions']} />
            <tbody>
              {found.slice(0, maxShown).map((plant, i) => (
                <PlantRow key={i} plant={plant} load={load} />
              ))}
            </tbody>
          </table>
        </div>
        <p class="quiet" role="status">
          {plural(found.length, 'plant')}
          {found.length > maxShown && `, showing the first ${maxShown}`}
        </p>
        {found.length === 0 && plants.length > 0 && (
          <button type="button" onClick={clear}>
            Clear the filters
          </button>
        )}
        {plants.length === 0 && <p>The mock has no plants. Add one, load fixtures, or let your client create one.</p>}
      </div>
      <aside class="side">
        <AddPlant plants={plants} callers={callers} added={load} />
        <Fixtures change={change} />
      </aside>
    </div>
  )
}

type Change = (done: string, action: () => Promise<unknown>) => Promise<void>

const short = (text: string): string => visible(shorten(text, maxShownText))

const PlantRow = ({ plant, load }: { readonly plant: FixturePlant; readonly load: () => unknown }) => {
  const { id, name, tag, access } = plant
  const label = short(name) || 'the plant'
  const send = boundCall()
  const restore = () => send('POST', 'plants?callers=pseudonyms', { plants: [plant] }).finally(load as () => void)
  const remove = () =>
    attempt(`Deleted ${label}.`, () => deletePlant(plant), { run: restore }).finally(load as () => void)
  const saved = (text: string): void => {
    say(text)
    load()
  }
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
          run={() => editPlant({ plant, done: saved })}
        />{' '}
        <Action name="Delete" class="small" aria-label={`Delete ${label}`} run={remove} />
      </td>
    </tr>
  )
}

const Fixtures = ({ change }: { readonly change: Change }) => {
  const { data: { fixtures = [] } = {} } = useData<{ fixtures: string[] }>('fixtures')
  const [chosen, setChosen] = useState('')
  const name = chosen || (fixtures[0] ?? '')
  return (
    <>
      <h2>Fixtures</h2>
      <div class="tools">
        <Select name="Built-in fixtures" value={name} set={setChosen} options={fixtures} />
        <Action name="Load" run={() => change(`Loaded ${name}.`, () => call('PUT', `fixtures/${name}`))} />
      </div>
      <div class="tools">
        <Action name="Reset" run={() => change('Restored the initial state.', () => call('POST', 'reset'))} />
        <Action name="Remove all plants" run={() => change('Removed all plants.', () => call('DELETE', 'plants'))} />
      </div>
    </>
  )
}
