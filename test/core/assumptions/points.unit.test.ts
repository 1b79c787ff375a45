import { describe, expect, it } from 'vitest'
import type { AssumptionRow, Concern, Part } from '../../../src/core/assumptions/form.ts'
import { bases, dependentsOf, pointsBehind, pointsOf } from '../../../src/core/assumptions/points.ts'
import {
  type Assumptions,
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
  rowOf,
} from '../../../src/core/assumptions/registry.ts'
import type { CallerKey } from '../../../src/core/contract/caller.ts'
import type { ReceivedRequest } from '../../../src/core/http/exchange.ts'
import { Plants } from '../../../src/core/model/plants.ts'
import { readRequest } from '../../../src/core/model/request.ts'
import { initialState } from '../../../src/core/model/state.ts'
import { step } from '../../../src/core/model/step.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import { concernsOf } from '../../../src/core/operations/operations.ts'

const alice = { authorization: 'Bearer alice' }
const json = { ...alice, 'content-type': 'application/json' }
const plant = { id: 9, name: 'n', tag: 't' }

const request = (method: string, url: string, headers: Readonly<Record<string, string>> = alice, body?: string) => {
  const [path = '', query = ''] = url.split('?')
  const received: ReceivedRequest = {
    method,
    path,
    query,
    header: (name) => headers[name],
    headers: () => Object.entries(headers).flat(),
    body,
  }
  const callers = { keyOf: (token: unknown) => token as CallerKey, isListed: () => false }
  return readRequest(resolveRequest(received), 0, callers)
}

const creates = [plant, { ...plant, id: 1 }, { ...plant, extra: 1 }, { ...plant, name: '' }, { ...plant, id: 2 ** 40 }]
const requests = [
  ...creates.map((body) => request('POST', '/plants', json, JSON.stringify(body))),
  ...['{}', '[', '{"id":3}', '{"id":3,"name":"n"}', JSON.stringify({ ...plant, tag: 't'.repeat(20_000) })].map((body) =>
    request('POST', '/plants', json, body),
  ),
  request('POST', '/plants', alice, JSON.stringify(plant)),
  ...['', '?limit=2', '?limit=0', '?limit=-1', '?limit=1e1', '?limit=500', '?limit=1&limit=2', '?page=2'].map((query) =>
    request('GET', `/plants${query}`),
  ),
  ...['GET', 'POST', 'PUT'].flatMap((method) =>
    [{}, { authorization: 'Basic x' }, { authorization: 'bearer alice' }, { authorization: 'Bearer zoe' }].map(
      (headers) =>
        request(
          method,
          '/plants',
          { ...json, ...headers, ...('authorization' in headers ? {} : { authorization: '' }) },
          JSON.stringify(plant),
        ),
    ),
  ),
  ...['PUT', 'OPTIONS'].map((method) => request(method, '/plants')),
  request('GET', '/other'),
  ...['/plants/1', '/plants/5', '/plants/999', '/plants/x'].flatMap((path) => [
    request('DELETE', path),
    request('PUT', path),
  ]),
]

const stored = Array.from({ length: 120 }, (_, i) => ({
  id: i + 1,
  name: `n${(i * 7) % 120}`,
  ...(i % 5 > 0 && { tag: 't' }),
  access: ['alice'],
}))
const state = { ...initialState(Plants.from(stored), 1), rates: new Map([['alice', 9]]) }

const shown = ({ status, headers, body }: ReturnType<typeof step>['reply']): string =>
  JSON.stringify([status, headers, body])

const settings = [
  defaultAssumptions,
  { ...defaultAssumptions, 'error.body': 'json', 'auth.tokens': 'listed' } as Assumptions,
  { ...defaultAssumptions, 'operation.delete': 200, 'create.required': 'name' } as Assumptions,
].map((base) => ({ base, replies: requests.map((sent) => ({ sent, before: step(state, sent, base).reply })) }))

describe('the points behind a reply', () => {
  it.each(assumptionRegistry.filter((row) => allValuesOf(row).length > 1))(
    'include $id wherever it changes one',
    (row) => {
      for (const { base, replies } of settings)
        for (const { sent, before } of replies) {
          const concerns: Concern[] = [...concernsOf(sent.operation)]
          if (before.status >= 400) concerns.push('failures')
          for (const value of allValuesOf(row)) {
            const { reply } = step(state, sent, { ...base, [row.id]: value } as Assumptions)
            if (shown(reply) !== shown(before)) expect(pointsBehind(concerns)).toContain(row.id)
          }
        }
    },
  )
})

describe('a row', () => {
  const row = { section: '4', question: '?', default: 200, values: { 200: 'OK' } } as const

  it('says which replies the point decides', () => {
    const complete = { ...row, decides: { listPlants: 'success' } } as const satisfies AssumptionRow
    // @ts-expect-error: `decides` is missing.
    const incomplete = row satisfies AssumptionRow
    expect(complete).toMatchObject(incomplete)
  })

  it('says which value "same" stands for', () => {
    const same = { ...row, decides: {}, default: 'same', values: { same: 'the same' } } as const
    const complete = { ...same, relative: { same: 'auth.status' } } as const satisfies AssumptionRow
    // @ts-expect-error: `relative` is missing.
    const incomplete = same satisfies AssumptionRow
    expect(complete).toMatchObject(incomplete)
  })

  it('refers to absolute points only', () => {
    expect([...bases.values()].filter((base) => bases.has(base))).toEqual([])
  })
})

it('finds the points of a part in the order of the registry', () => {
  const parts: readonly Part[] = ['success', 'type']
  expect(pointsOf('listPlants', ...parts)).toEqual(['list.status'])
  expect(dependentsOf('error.invalidStatus')).toEqual(['create.contentType', 'error.limitStatus', 'error.syntaxStatus'])
  expect(rowOf('rate.limit').unit).toBe('requests')
})
