import type { Assumption, AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import { plural } from '../../../util/words.ts'
import { call } from './api.ts'
import { byId, h } from './dom.ts'

type Row = Pick<Assumption, 'default'> & { readonly value: AssumptionValue }

/** Shows on every view that the mock does not behave as by default: active faults and changed assumptions. */
export const showBadges = async (): Promise<void> => {
  const [{ faults }, { registry }] = await Promise.all([
    call<{ faults: ActiveFault[] }>('GET', 'faults'),
    call<{ registry: Row[] }>('GET', 'assumptions'),
  ])
  const active = faults.filter(({ remaining }) => remaining !== 0).length
  const changed = registry.filter((row) => row.value !== row.default).length
  byId('badges').replaceChildren(
    ...(active === 0 ? [] : [badge('faults', 'warn', plural(active, 'active fault'))]),
    ...(changed === 0 ? [] : [badge('assumptions', 'note', plural(changed, 'changed assumption'))]),
  )
}

const badge = (view: string, kind: 'warn' | 'note', text: string): HTMLElement =>
  h('a', { href: `#${view}`, class: `badge ${kind}` }, text)
