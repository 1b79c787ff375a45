import type { Assumption, AssumptionId, AssumptionValue } from '../../../core/assumptions/registry.ts'
import { shorten } from '../../../util/text.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { button, checkbox, div, field, form, h, options } from './dom.ts'
import { actionRunner, citation, type View } from './view.ts'

type Row = Omit<Assumption, 'meaning' | 'relies'> & {
  readonly value: AssumptionValue
  readonly meaning: string
  readonly provenance?: string
}

/** How many characters of a value the list of choices shows. */
const maxShown = 40

export const assumptionsView = (): View => {
  const list = div('assumptions')
  const count = h('p', { class: 'quiet', role: 'status' })
  const seed = h('input', { value: '1', inputmode: 'numeric', size: 6 })
  const search = h('input', { type: 'search', placeholder: 'name or question', oninput: () => draw() })
  const onlyChanged = h('input', { type: 'checkbox', onchange: () => draw() })
  const elements = new Map<string, { readonly text: string; readonly element: HTMLElement }>()
  let rows: readonly Row[] = []

  const load = async (): Promise<void> => {
    rows = (await call<{ registry: Row[] }>('GET', 'assumptions')).registry
    showAddressed()
    draw()
  }

  /** A link to one row, such as `#assumptions/list.order`, finds it. */
  const showAddressed = (): void => {
    const [, id] = location.hash.split('/')
    if (id === undefined) return
    history.replaceState(null, '', '#assumptions')
    search.value = id
    onlyChanged.checked = false
  }

  const draw = (): void => {
    const changed = rows.filter(isChanged)
    const wanted = search.value.trim().toLowerCase()
    const found = (onlyChanged.checked ? changed : rows).filter(({ id, question }) =>
      `${id} ${question}`.toLowerCase().includes(wanted),
    )
    show(
      found.flatMap((row, index) => [
        ...(groupOf(row) === groupOf(found[index - 1]) ? [] : [headingOf(row)]),
        elementOf(row),
      ]),
    )
    count.textContent =
      changed.length === 0
        ? 'All assumptions have their default values.'
        : `${plural(changed.length, 'assumption')} ${changed.length === 1 ? 'differs' : 'differ'} from the default.`
  }

  const headings = new Map<string, HTMLElement>()
  const headingOf = (row: Row): HTMLElement => {
    const group = groupOf(row) as Group
    const heading = headings.get(group) ?? h('h2', {}, groups[group])
    headings.set(group, heading)
    return heading
  }

  /** A row that has not changed keeps its element, with what the user has typed there. */
  const elementOf = (row: Row): HTMLElement => {
    const text = JSON.stringify(row)
    const known = elements.get(row.id)
    if (known?.text === text) return known.element
    const element = rowOf(row)
    elements.set(row.id, { text, element })
    return element
  }

  /** The keyboard focus stays, or moves to the select of the same assumption. */
  const show = (shown: readonly HTMLElement[]): void => {
    if (shown.length === list.children.length && shown.every((element, index) => element === list.children[index]))
      return
    const focused = document.activeElement
    const id = focused?.closest('[data-row]')?.getAttribute('data-row')
    list.replaceChildren(...shown)
    if (focused instanceof HTMLElement && list.contains(focused)) focused.focus()
    else if (id) list.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] select`)?.focus()
  }

  const run = actionRunner(load)
  const vary = () =>
    run(`Randomized all assumptions with seed ${seed.value}.`, () =>
      call('POST', 'assumptions/seed', { seed: Number(seed.value) }),
    )
  const restore = () =>
    run('Restored the defaults.', () =>
      call('PATCH', 'assumptions', Object.fromEntries(rows.map((row) => [row.id, row.default]))),
    )

  const set = (row: Row, value: AssumptionValue) => {
    // Drawn again even if the mock refuses the value.
    elements.delete(row.id)
    return run(`${row.id} is now ${value}.`, () => call('PATCH', 'assumptions', { [row.id]: value }))
  }

  const rowOf = (row: Row): HTMLElement => {
    const provenance = row.provenance === 'default' ? undefined : row.provenance
    return h(
      'article',
      { class: isChanged(row) ? 'card changed' : 'card', 'data-row': row.id },
      h('h3', {}, row.id),
      h('p', {}, row.question),
      div('choice', ...choiceOf(row, (value) => void set(row, value))),
      h('p', { class: 'quiet' }, row.meaning),
      h('p', { class: 'quiet' }, citation(row.section), row.rare && ' · rare', provenance && ` · ${provenance}`),
    )
  }

  const tools = div(
    'tools',
    field('Search', search),
    checkbox('Changed only', onlyChanged),
    field('Seed', seed),
    button('Randomize all', vary),
    button('Restore defaults', restore, { class: 'primary' }),
  )
  return { element: div('', tools, count, list), load }
}

type Group = AssumptionId extends `${infer Name}.${string}` ? Name : never

const groups: Readonly<Record<Group, string>> = {
  auth: 'Tokens',
  body: 'Request bodies',
  create: 'Creates',
  error: 'Failures',
  json: 'JSON',
  list: 'Lists',
  operation: 'Other requests',
  plant: 'Plants',
  rate: 'Rate limits',
  service: 'The service',
}

const groupOf = (row: Row | undefined) => row?.id.split('.')[0] as Group | undefined

const isChanged = (row: Row): boolean => row.value !== row.default

/** A list of the values, and a form for the number or text of a value that takes one. */
const choiceOf = (row: Row, set: (value: AssumptionValue) => void): readonly HTMLElement[] => {
  const forms = formsOf(row)
  const isNamed = (value: AssumptionValue): boolean => forms.every(({ read }) => read(value) === undefined)
  const values = [...new Set([row.default, ...row.alternatives, ...row.further, row.value])].filter(isNamed)
  const current = forms.findIndex(({ read }) => read(row.value) !== undefined)
  const choice = h(
    'select',
    { 'aria-label': row.id, disabled: values.length + forms.length === 1 },
    ...options(
      [
        ...values.map((value) => [`${value}`, labelOf(value, row)] as const),
        ...forms.map(({ label }, index) => [`form ${index}`, label] as const),
      ],
      current === -1 ? String(row.value) : `form ${current}`,
    ),
  )
  const parameter = div('')
  const show = (form: ValueForm | undefined, hasFocus: boolean): void => {
    const parts = form === undefined ? [] : [parameterForm(row, form, set)]
    parameter.replaceChildren(...parts)
    if (hasFocus) parameter.querySelector<HTMLElement>('input, textarea')?.focus()
  }
  show(forms[current], false)
  choice.addEventListener('change', () => {
    const form = forms[Number(/^form (\d+)$/.exec(choice.value)?.[1] ?? -1)]
    const value = values.find((value) => String(value) === choice.value)
    show(form, true)
    if (value !== undefined) set(value)
  })
  return [choice, parameter]
}

const labelOf = (value: AssumptionValue, row: Row): string =>
  `${shorten(`${value}`, maxShown)}${value === row.default ? ' (default)' : ''}`

const parameterForm = (
  row: Row,
  { isNumber, initial, read, write }: ValueForm,
  set: (value: AssumptionValue) => void,
) => {
  const value = read(row.value) ?? initial
  const label = `${row.id}: ${isNumber ? 'number' : 'text'}`
  const input = isNumber
    ? h('input', { type: 'number', min: 0, required: true, value, 'aria-label': label })
    : h('textarea', { rows: 3, required: true, spellcheck: 'false', 'aria-label': label }, value)
  return form('parameter', () => set(write(input.value)), input, h('button', {}, 'Set'))
}

/** A value with a parameter, such as `clamp:50`, of which the parameter is entered. */
type ValueForm = {
  /** For the list of values: `clamp:N`. */
  readonly label: string
  readonly isNumber: boolean
  /** A parameter to begin with. */
  readonly initial: string
  /** The parameter of a value; `undefined` for a value of another form. */
  readonly read: (value: AssumptionValue) => string | undefined
  readonly write: (parameter: string) => AssumptionValue
}

/** The labels of forms that are not shown as they are written. */
const formLabels: Readonly<Record<string, string>> = { N: 'number', BYTES: 'number of bytes', TYPE: 'media type' }

/** The forms of an assumption's values, from how they are written: `clamp:N or reject:N`, `BYTES`, `TYPE`. */
const formsOf = ({ form, samples, default: usual, alternatives, further }: Row): readonly ValueForm[] =>
  (form?.split(' or ') ?? []).map((shown) => {
    const label = `${formLabels[shown] ?? shown}…`
    const [, prefix = '', name] = /^([a-z-]+:)?(N|BYTES)$/.exec(shown) ?? []
    if (name === undefined) {
      const named: readonly AssumptionValue[] = [usual, ...alternatives, ...further]
      const read = (value: AssumptionValue) => (named.includes(value) ? undefined : String(value))
      return { label, isNumber: false, initial: String(samples[0] ?? ''), read, write: (text) => text }
    }
    const read = (value: AssumptionValue): string | undefined => {
      const text = String(value)
      const digits = text.startsWith(prefix) ? text.slice(prefix.length) : ''
      return /^\d+$/.test(digits) ? digits : undefined
    }
    return {
      label,
      isNumber: true,
      initial: samples.map(read).find((digits) => digits !== undefined) ?? '1',
      read,
      write: (digits) => (prefix === '' ? Number(digits) : `${prefix}${digits}`),
    }
  })
