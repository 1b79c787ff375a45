import { createHash } from 'node:crypto'
import packageJson from '../../../package.json' with { type: 'json' }
import { type Assumptions, assumptionRegistry } from '../../core/assumptions/registry.ts'
import type { CallerKey } from '../../core/contract/caller.ts'
import { problemTypes } from '../../core/contract/problems.ts'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import { defaultJournalSize } from '../../core/journal/journal.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { keyedFault, keyedPlants } from '../../core/mock/commands.ts'
import { defaultSessions, initialAssumptions, initialFaults } from '../../core/mock/instances.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import { fixtureTable } from '../../core/mock/plant-changes.ts'
import { Plants } from '../../core/model/plants.ts'
import { operations } from '../../core/operations/operations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { exactJson } from '../../util/exact-json.ts'
import { createCallerKey } from '../persist/caller-key.ts'

/** The version of the commands and snapshots in the store. Increase it when the effect of a command changes. */
const format = 10

type Settings = Readonly<Record<string, string | number | boolean>>

export const callerKeys = (callers: Readonly<Record<string, string>> = {}): CallerKeys => {
  const digestOf = createCallerKey()
  const names = new Map(Object.entries(callers).map(([name, token]) => [token, name]))
  const known = new Set(names.values())
  const keyOf = (caller: string): CallerKey => (known.has(caller) ? (caller as CallerKey) : digestOf(caller))
  return { keyOf, keyOfToken: (token) => (names.get(token) as CallerKey | undefined) ?? keyOf(token) }
}

type KeyedOptions = PlantMockOptions & { readonly assume: Assumptions }

export const keyedOptions = async (
  { fixtures = [], tokens, callers, faults, onNotice: _, ...options }: Omit<PlantMockOptions, 'store'>,
  keys: CallerKeys,
  learn: (token: string) => void,
): Promise<KeyedOptions> => {
  const plants = await fixtureTable(fixtures)
  for (const token of [...plants.callers, ...(tokens ?? []), ...Object.values(callers ?? {})]) learn(token)
  return {
    ...options,
    assume: initialAssumptions({ ...options, ...(tokens && { tokens }) }),
    fixtures: Plants.from(keyedPlants({ plants }, keys).plants),
    ...(tokens && { tokens: tokens.map(keys.keyOfToken) }),
    ...(callers && { callers }),
    ...(faults && { faults: faults.map((fault) => keyedFault(fault, keys)) }),
    onNotice: () => undefined,
  }
}

export const settingsText = (options: KeyedOptions): string => {
  const { callers = {}, seed = 1, prefer = true, journal = defaultJournalSize, sessions = defaultSessions } = options
  const assumed = Object.entries(notDefault(options.assume))
  return JSON.stringify({
    'plant-mock': packageJson.version,
    rules: numberOf([format, assumptionRegistry, operations, problemTypes]),
    fixtures: numberOf(options.fixtures as Iterable<FixturePlant>),
    ...Object.fromEntries(assumed),
    seed,
    'faults, latency and fail rate': numberOf(initialFaults(options)),
    tokens: numberOf([...(options.tokens ?? [])].sort()),
    'callers and their tokens': numberOf(Object.entries(callers).sort()),
    prefer,
    journal,
    sessions,
  } satisfies Settings)
}

const digest = / \(.{22}\)$/

const numberOf = (items: Iterable<unknown>): string => {
  const hash = createHash('sha256')
  let count = 0
  for (const item of items) {
    hash.update(`${exactJson(item)}\n`)
    count++
  }
  return `${count} (${hash.digest('base64url').slice(0, 22)})`
}

export const notDefault = (assumptions: Assumptions): Partial<Assumptions> =>
  Object.fromEntries(
    assumptionRegistry.flatMap((row) => (assumptions[row.id] === row.default ? [] : [[row.id, assumptions[row.id]]])),
  )

export const checkSettings = (own: string, theirs: string, mock: string): void => {
  const [ours, known] = [own, theirs].map((text) => JSON.parse(text)) as [Settings, Settings]
  const remedy =
    'Start all replicas with the same version and options, choose another --store-name, or start over with --store-reset.'
  if (ours.rules !== known.rules) {
    const [theirs = 'of an earlier version', own] = [known, ours].map((settings) => settings['plant-mock'])
    const still = theirs === own ? ', but not the same build' : ''
    throw new PlantMockError(
      `${mock} was started by another build, plant-mock ${theirs}; this process is plant-mock ${own}${still}. ${remedy}`,
    )
  }
  const name = Object.keys({ ...known, ...ours }).find((name) => name !== 'plant-mock' && ours[name] !== known[name])
  if (name === undefined) return
  const [was, is] = [known, ours].map((settings) => String(settings[name] ?? 'the default').replace(digest, ''))
  throw new PlantMockError(
    `${mock} was started with other options: ${name} ${was}; this process has ${is}${was === is ? ', with other contents' : ''}. ${remedy}`,
  )
}
