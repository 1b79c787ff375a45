import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../../src/core/journal/entry.ts'
import { createPlantMock } from '../../../src/core/mock/create-plant-mock.ts'
import { dashboardListener } from '../../../src/server/dashboard/listener.ts'
import { useServers } from '../../support/start.ts'

const { serve } = useServers()

const open = async (total: number) => {
  const { instances } = createPlantMock()
  const entry = { id: 1, request: { headers: {}, body: 'x'.repeat(1_000) } } as unknown as JournalEntry
  let end = (): void => undefined
  const journal = {
    converted: 0,
    ended: new Promise<void>((resolve) => {
      end = resolve
    }),
  }
  function* entries() {
    try {
      for (; journal.converted < total; journal.converted++) yield entry
    } finally {
      end()
    }
  }
  const listener = dashboardListener(
    { ...instances, root: { ...instances.root, journal: { ...instances.root.journal, entries } } },
    { key: undefined, host: undefined },
  )
  const { url } = await serve((req, res) => void listener(req, res))
  return { journal, port: Number(new URL(url).port), url: `${url}/__plant-mock` }
}

const requestWithoutReading = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /__plant-mock/requests HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await once(socket, 'readable')
  return socket
}

describe('a long list of the control interface', () => {
  const total = 100_000

  it('is converted while the client reads it', async () => {
    const { journal, port, url } = await open(total)
    const socket = await requestWithoutReading(port)
    expect((await fetch(`${url}/state`)).status).toBe(200)
    expect(journal.converted).toBeLessThan(total / 2)
    socket.destroy()
  })

  it('is not converted further when the client disconnects', async () => {
    const { journal, port } = await open(total)
    ;(await requestWithoutReading(port)).destroy()
    await journal.ended
    expect(journal.converted).toBeLessThan(total / 2)
  })

  it('arrives whole', async () => {
    const { url } = await open(3_000)
    const response = await fetch(`${url}/requests`)
    expect(response.headers.get('content-length')).toBeNull()
    const { requests } = (await response.json()) as { requests: { id: number }[] }
    expect([requests.length, requests.every(({ id }) => id === 1)]).toEqual([3_000, true])
  })

  it('is not converted for HEAD', async () => {
    const { journal, url } = await open(total)
    const response = await fetch(`${url}/requests`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(journal.converted).toBeLessThan(total / 2)
  })

  it.each([0, 1, 100])('has a length when it is short: %d entries', async (count) => {
    const { url } = await open(count)
    const response = await fetch(`${url}/requests`)
    const text = await response.text()
    expect(Number(response.headers.get('content-length'))).toBe(text.length)
    expect((JSON.parse(text) as { requests: unknown[] }).requests).toHaveLength(count)
  })
})
