import { once } from 'node:events'
import { connect } from 'node:net'
import { startPlantMock } from 'plant-mock/node'
import { expect, it, vi } from 'vitest'

const list = 'GET /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer alice\r\n\r\n'

it('close() works under fake timers that a test installs', async () => {
  const { url, close } = await startPlantMock({ grace: 3_600_000 })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(list)
  await once(socket, 'data')
  vi.useFakeTimers()
  socket.write(list)
  const closed = close()
  const [response] = await once(socket, 'data')
  await closed
  vi.useRealTimers()
  expect(String(response)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n/)
  socket.destroy()
})
