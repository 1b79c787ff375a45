import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type StartedPlantMock, startPlantMock } from 'plant-mock/node'
import { afterEach, describe, expect, it } from 'vitest'
import { aloe } from '../../support/plants.ts'

let started: StartedPlantMock | undefined
afterEach(() => started?.close())

const start = async (): Promise<StartedPlantMock> => {
  started = await startPlantMock({ fixtures: [aloe] })
  return started
}

const request = (method: string, path: string, body?: object): string => {
  const json = body === undefined ? '' : JSON.stringify(body)
  const type = body === undefined ? '' : 'Content-Type: application/json\r\n'
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice\r\n${type}Content-Length: ${json.length}\r\n\r\n${json}`
}

/** Sends requests in one write, ends this side of the connection, and returns everything that is received. */
const exchange = async (url: string, ...requests: readonly string[]): Promise<string> => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  socket.end(requests.join(''))
  return text(socket)
}

describe('the first requests of a server', () => {
  it.each([
    ['a list of plants', 'PUT', 'plants', { plants: [] }, request('GET', '/__plant-mock/plants'), '{"plants":[]}'],
    ['a list', 'PUT', 'plants', { plants: [] }, request('GET', '/plants'), '\r\n\r\n[]'],
    ['a faulty list', 'POST', 'faults', { status: 503 }, request('GET', '/plants'), ' 503 '],
  ])(
    'take effect in their order on one connection: a change, then %s',
    async (_, method, path, body, next, expected) => {
      const { url } = await start()
      const received = await exchange(url, request(method, `/__plant-mock/${path}`, body), next)
      expect(received).toContain(expected)
    },
  )

  it('get a response when the client ends its side of the connection', async () => {
    const { url, mock } = await start()
    expect(await exchange(url, request('PUT', '/__plant-mock/plants', { plants: [] }))).toMatch(/^HTTP\/1.1 204 /)
    expect(await mock.plants.all()).toEqual([])
  })
})
