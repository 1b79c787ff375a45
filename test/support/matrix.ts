/**
 * Decides in one place where a behaviour is tested. Everything is tested once from the source, on the plain mock in this
 * process. A transport, or a way to reach a mock, is added where it can break the behaviour by itself; every one of them
 * has the conformance suite.
 */

/** The ways from a client's request to a mock. */
export type Transport =
  | 'the core'
  | 'the msw handlers'
  | 'the server'
  | 'the persistent server'
  | '2 replicas on one store'

/** The ways from a test to the methods of a mock. */
export type Access =
  | 'in this process'
  | 'as a server'
  | 'as a server with a key'
  | 'as middleware'
  | 'as a session in this process'
  | 'as a session of a server'
  | 'as two replicas on one store'
  | 'as three replicas in their processes'
  | 'as a session of three replicas'

type Row<Way extends string> = { readonly on: 'all' | readonly Way[]; readonly because: string }

const requests = {
  on: ['the core', 'the msw handlers', 'the server'],
  because: 'each of them translates requests: from `Request`, or from sockets',
} as const satisfies Row<Transport>

const methods = {
  on: ['in this process', 'as a server', 'as a session of a server', 'as two replicas on one store'],
  because: 'calls are translated to control routes, and to commands of a store; sessions are selected by the same code',
} as const satisfies Row<Access>

/** By what is tested: the transports on which it is. */
export const transportsOf = {
  conformance: { on: 'all', because: 'every transport gives the same responses' },
  creates: {
    on: [...requests.on, '2 replicas on one store'],
    because: 'a create also enters the log of a store as text',
  },
  lists: requests,
  deletes: { on: 'all', because: 'its path has a parameter, and each transport keeps plants by itself' },
  authentication: requests,
  dispatch: requests,
  encodings: requests,
  strangeBodies: { on: 'all', because: 'each of them reads or writes a body by itself' },
} as const satisfies Record<string, Row<Transport>>

/** By the part of the interface that is tested: the accesses through which it is. */
export const accessesOf = {
  plants: { on: 'all', because: 'one part of the interface is tested through every access' },
  sessions: { on: 'all', because: 'a session of a session is the same session, whatever the access' },
  assumptions: methods,
  faults: methods,
  filters: methods,
  fixtures: methods,
  journal: methods,
  preferences: methods,
} as const satisfies Record<string, Row<Access>>

/** Transports and accesses that need a server program, so that only `npm run test:programs` has them. */
const programs: readonly (Transport | Access)[] = [
  '2 replicas on one store',
  'as two replicas on one store',
  'as three replicas in their processes',
  'as a session of three replicas',
]

const replicas = 'requests and calls become entries of a log, which every replica applies'

/**
 * Tests of behaviour that run a second time, against the build, in `npm run test:programs`, and what that can break.
 * `test/package` and `*.programs.test.ts` are run there only.
 */
export const secondRuns: Readonly<Record<string, string>> = {
  'verify/transports': 'the build can lose a module that only one transport loads',
  'integrations/msw': 'an entry point of its own, with msw outside of the build',
  'integrations/vite': 'an entry point of its own, with types of Vite alone',
  'server/start/server': 'sockets and timers reach the build through bundled helpers',
  'server/start/http2': 'a module of Node.js that is imported on demand',
  'server/upstream/forward': 'an upstream is a chunk of its own, loaded on demand',
  'core/faults/faults': replicas,
  'core/faults/preferred': replicas,
  'core/fixtures/names': replicas,
  'core/journal/journal': replicas,
  'core/journal/selection': replicas,
  'core/mock/assumptions': replicas,
  'core/mock/plants': replicas,
  'core/mock/sessions': replicas,
  'core/operations/create-plant': replicas,
  'core/operations/delete-plant': replicas,
  'core/model/strange-bodies.property': replicas,
}

/** Whether the tests of this process run against the build, in `npm run test:programs`. */
export const isPrograms = process.env.PLANT_MOCK_TESTS === 'programs'

/** Whether any test of a behaviour needs a program. */
export const needsPrograms = (behaviour: string): boolean => {
  const { on }: Row<Transport | Access> = { ...transportsOf, ...accessesOf }[behaviour] ?? { on: [], because: '' }
  return on === 'all' || on.some((name) => programs.includes(name))
}

/** Whether a row is tested in this process: everything in memory from the source, the rest as programs. */
export const isTestedHere = (name: Transport | Access): boolean => programs.includes(name) === isPrograms
