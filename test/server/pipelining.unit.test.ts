import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inTurn } from '../../src/server/listener/connection.ts'

it('tens of thousands of requests behind one that takes time are answered in order', async () => {
  const answered: unknown[] = []
  const control = ({ url }: IncomingMessage) => url === '0' && setImmediate()
  const listen = inTurn(control, ({ url }) => answered.push(url))
  const socket = {}
  const urls = Array.from({ length: 50_000 }, (_, i) => String(i))
  const all = urls.map((url) => listen({ url, socket, httpVersionMajor: 1 } as IncomingMessage, {} as ServerResponse))
  await Promise.all(all)
  expect(answered).toEqual(urls.slice(1))
})
