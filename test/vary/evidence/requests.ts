import fc from 'fast-check'
import { type Assume, allValuesOf, assumptionRegistry } from '../../../src/core/assumptions/registry.ts'
import type { Sent } from '../../core/mock/watched.ts'

const body = fc.oneof(
  fc
    .record(
      {
        id: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom<unknown>(-1, 2 ** 53, 1.5, '3', null)),
        name: fc.constantFrom<unknown>('', 'Hoya', 'é'.repeat(9_000), 'A\u0000', 3, null),
        tag: fc.constantFrom<unknown>('', 'x', 1),
        more: fc.constantFrom<unknown>(1, {}),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record({
      id: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom('Fern', 'Aloe'),
      tag: fc.constantFrom('x', ''),
    })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{', '[]', 'null', '"x"', '{"__proto__":1}'),
  fc.constantFrom(`{"id":7,"name":"${'x'.repeat(17_000)}","tag":"y"}`, 'x'.repeat(1_100_000)),
)
const headers = fc.record({
  authorization: fc.constantFrom(
    ...['Bearer alice', 'Bearer bob', 'bearer alice', 'Bearer mallory', 'Basic x', 'Bearer', 'Bearer a b', ''],
  ),
  'content-type': fc.constantFrom(
    ...['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/vnd.x+json', ''],
  ),
  'content-encoding': fc.constantFrom('', '', '', 'gzip', 'identity'),
  prefer: fc.constantFrom('', '', '', '', 'code=503', 'code=401, delay=1', 'delay=1', 'code=200'),
})
const query = fc.constantFrom(
  ...['', 'limit=1', 'limit=2', 'limit=0', 'limit=101', 'limit=-1', 'limit=1.0', 'limit=1e1', 'limit=3x', 'limit='],
  ...['limit=%201', 'limit=1&limit=2', 'limit=x&limit=1', 'limit=1&limit=x', 'page=2', `limit=${'9'.repeat(20)}`],
)
export const request: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ method: fc.constant('POST'), path: fc.constant('/plants'), headers, body }) },
  {
    weight: 8,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'HEAD'),
      path: query.map((text) => `/plants?${text}`),
      headers,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constant('DELETE'),
      path: fc.constantFrom('/plants/1', '/plants/2', '/plants/3', '/plants/-1', '/plants/x', '/plants/1?x=1'),
      headers,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('PUT', 'OPTIONS', 'DELETE', 'GET'),
      path: fc.constantFrom('/plants', '/plants/', '/plants/1', '/other', '/'),
      headers,
    }),
  },
)
const setting = fc.constantFrom(
  ...assumptionRegistry.flatMap((row) => allValuesOf(row).map((value) => [row.id, value])),
)
export const settings = fc.array(setting, { maxLength: 2 }).map((settings) => Object.fromEntries(settings) as Assume)
