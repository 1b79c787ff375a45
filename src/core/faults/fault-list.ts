import type { FaultKind } from '../http/reply.ts'
import { checkFault, type Fault } from './fault.ts'
import { kindOf } from './kinds.ts'

export type FaultEntry = {
  readonly id: string
  readonly fault: Fault
  readonly kind: FaultKind | undefined
  readonly isInitial: boolean
  readonly hits: number
}

export type FaultList = {
  readonly entries: readonly FaultEntry[]
  readonly count: number
  readonly random: number
}

const maxExhausted = 100

const withFault = (list: FaultList, fault: Fault, isInitial: boolean): FaultList => {
  const count = list.count + 1
  const checked = checkFault(fault)
  const added: FaultEntry = { id: `fault-${count}`, fault: checked, kind: kindOf(checked), isInitial, hits: 0 }
  const others = isInitial
    ? list.entries
    : list.entries.filter((entry, i) => i < maxExhausted || remainingHits(entry) > 0)
  return { ...list, entries: [added, ...others], count }
}

export const initialFaultList = (initial: readonly Fault[], seed: number, count = 0): FaultList =>
  initial.reduce<FaultList>((list, fault) => withFault(list, fault, true), { entries: [], count, random: seed | 0 })

export const addFault = (list: FaultList, fault: Fault): FaultList => withFault(list, fault, false)

export const removeFault = (list: FaultList, id: string): FaultList => ({
  ...list,
  entries: list.entries.filter((entry) => entry.id !== id),
})

export const remainingHits = ({ fault: { times = Number.POSITIVE_INFINITY }, hits }: FaultEntry): number => times - hits
