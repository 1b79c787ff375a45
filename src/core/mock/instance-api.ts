import { PlantMockError } from '../../util/errors.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { checkAssume } from '../assumptions/parse.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { checkFault } from '../faults/fault.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { parseFilter } from '../journal/filter.ts'
import type { RunMockCommand } from './commands.ts'
import { fixtureTable, type Selection } from './plant-changes.ts'
import { type PlantMatch, parseFields, syncFilter } from './plant-filter.ts'
import type { PlantMock, RequestMatch } from './plant-mock.ts'
import { requestsOf } from './requests.ts'
import type { PlantsOrNames } from './shipped.ts'

export type InstanceApi = Omit<PlantMock, 'fetch' | 'session' | 'sessions'>

export type Carrier = {
  readonly run: RunMockCommand
  readonly isRemote: boolean
  /** The returned `run` does nothing after a reset of the shared store, because a new fault may then have this id. */
  readonly sameState?: () => RunMockCommand
  readonly snapshot?: () => Promise<() => Promise<void>>
  readonly listen: (onEntry: () => void) => Promise<() => void>
}

/** Validates arguments before serialising, because JSON silently drops functions. */
export const instanceApi = ({ run, isRemote, listen, sameState = () => run, ...carrier }: Carrier): InstanceApi => {
  const allPlants = async (match?: PlantMatch): Promise<readonly FixturePlant[]> => {
    if (match === undefined) return run('plants')
    if (typeof match === 'function') return (await run('plants')).filter(syncFilter(match))
    return run('searchPlants', { filter: parseFields(match, 'filter') })
  }
  const selection = async (match: PlantMatch): Promise<Selection> => {
    if (typeof match !== 'function') return { filter: parseFields(match, 'filter') }
    return isRemote ? { plants: await allPlants(match) } : { select: match }
  }
  const requests = async (match: RequestMatch = {}): Promise<readonly JournalEntry[]> =>
    typeof match === 'function'
      ? (await run('requests', {})).filter(syncFilter(match))
      : run('requests', parseFilter(match))
  const withPlants = async (command: 'seed' | 'replaceFixtures', plants: PlantsOrNames): Promise<void> => {
    const table = fixtureTable(plants)
    await run(command, { plants: isPromise(table) ? await table : table })
  }

  return fromCaller<InstanceApi>({
    plants: {
      all: allPlants,
      async visibleTo(caller) {
        if (typeof caller === 'string') return run('searchPlants', { caller })
        throw new PlantMockError('visibleTo() needs the token of a caller, such as "alice".')
      },
      find: async (match) => (await allPlants(match))[0],
      update: async (match, patch) =>
        run('update', { ...(await selection(match)), patch: parseFields(patch, 'patch') }),
      remove: async (match) => run('remove', await selection(match)),
      clear: async () => run('clearPlants'),
    },
    requests: requestsOf({
      all: requests,
      count: async (match = {}) =>
        typeof match === 'function' ? (await requests(match)).length : run('countRequests', parseFilter(match)),
      clear: async () => run('clearRequests'),
      listen,
    }),
    violations: async () => run('violations'),
    assumptions: async () => run('assumptions'),
    assume: async (values) => run('assume', checkAssume(values)),
    seed: (plants) => withPlants('seed', plants),
    replaceFixtures: (plants) => withPlants('replaceFixtures', plants),
    snapshot:
      carrier.snapshot ??
      (async () => {
        const name = await run('takeSnapshot')
        const runInState = sameState()
        return async () => {
          if (!(await runInState('restoreSnapshot', name))) throw snapshotGone()
        }
      }),
    reset: async () => run('reset'),
    async fail(fault) {
      const id = await run('addFault', checkFault(fault))
      const runInState = sameState()
      return async () => {
        await runInState('removeFault', id)
      }
    },
    faults: async () => run('faults'),
    pending: async () => run('pending'),
    clearFaults: async () => run('clearFaults'),
  })
}

export const snapshotGone = (): PlantMockError =>
  new PlantMockError(
    'This snapshot no longer exists: the mock was restarted, or took 1,000 later snapshots. Take a new snapshot.',
  )

type Method = (...args: readonly unknown[]) => unknown

/** Makes the stack of a PlantMockError begin at the user's call, because test runners show that line. */
const fromCaller = <T extends object>(methods: T): T =>
  Object.fromEntries(
    Object.entries(methods).map(([name, value]) => [
      name,
      typeof value === 'function' ? withStack(value as Method) : fromCaller(value as object),
    ]),
  ) as T

const withStack = (method: Method): Method => {
  const called = async (...args: readonly unknown[]): Promise<unknown> => {
    const place: { stack?: string } = {}
    Error.captureStackTrace?.(place, called)
    try {
      return await method(...args)
    } catch (error) {
      if (error instanceof PlantMockError && place.stack !== undefined)
        error.stack = `${error.name}: ${error.message}${place.stack.slice(place.stack.indexOf('\n'))}`
      throw error
    }
  }
  return called
}
