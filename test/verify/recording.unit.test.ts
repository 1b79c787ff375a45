import { expect, it } from 'vitest'
import { createRecording } from '../../src/verify/read/recording.ts'
import type { TestResponse } from '../../src/verify/read/response.ts'
import { listRequest } from '../../src/verify/read/test-request.ts'

const response = (text: string, json?: unknown): TestResponse => ({
  as: 'caller',
  status: 400,
  headers: new Headers(),
  json,
  text,
  redact: String,
  curl: () => '',
})

it.each([
  ['a long text', response('x'.repeat(1_000_000)), { json: undefined, text: 'x'.repeat(32_000) }],
  ['a long document', response(`"${'x'.repeat(40_000)}"`, 'x'), { json: undefined, text: `"${'x'.repeat(31_999)}` }],
  ['a list', response('[1]', [1]), { json: [1], text: '[…]' }],
  ['a short failure', response('{"a":1}', { a: 1 }), { json: { a: 1 }, text: '{"a":1}' }],
])('a check keeps no more of %s than a mock can imitate', (_, sent, kept) => {
  const recording = createRecording()
  recording.add(listRequest(), sent, 0)
  expect(recording.exchanges[0]?.response).toMatchObject(kept)
})
