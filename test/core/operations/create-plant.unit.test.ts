import { expect, it } from 'vitest'
import { toReceivedRequest } from '../../../src/core/mock/fetch.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import { post } from '../../support/targets.ts'

it('the refusal of a body that is too large for the mock itself names no limit of body.maxSize', async () => {
  const { root } = createMockInstances({ assume: { 'body.maxSize': 'none' } })
  // The adapter's maximum (1 byte) is below the 256 MiB that the mock itself accepts.
  const received = await toReceivedRequest(new Request('http://mock.example/plants', post('xx')), 1, undefined)
  const { status, body } = (await root.handle(resolveRequest(received))).reply
  expect([status, JSON.parse(body ?? '')]).toMatchObject([413, { detail: 'The body is larger than the mock takes.' }])
})
