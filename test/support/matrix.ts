/** Each row names the transports or accesses that can break a behaviour; all else is tested once, in this process. */

export type Transport =
  | 'the core'
  | 'the msw handlers'
  | 'the server'
  | 'the persistent server'
  | '2 replicas on one store'

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

const programs: readonly (Transport | Access)[] = [
  '2 replicas on one store',
  'as two replicas on one store',
  'as three replicas in their processes',
  'as a session of three replicas',
]

const replicas = 'requests and calls become entries of a log, which every replica applies'

/** `npm run test:programs` repeats these tests against the build, which can break the named behaviour. */
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

export const isPrograms = process.env.PLANT_MOCK_TESTS === 'programs'

export const needsPrograms = (behaviour: string): boolean => {
  const { on }: Row<Transport | Access> = { ...transportsOf, ...accessesOf }[behaviour] ?? { on: [], because: '' }
  return on === 'all' || on.some((name) => programs.includes(name))
}

export const isTestedHere = (name: Transport | Access): boolean => programs.includes(name) === isPrograms
