import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { problemOf } from '../../support/problem.ts'
import { post, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

describe.each(targetsFor('encodings'))('a create with a Content-Encoding, at $name', ({ open }) => {
  const target = useTarget(open)

  it.each([
    ['gzip', gzipSync(JSON.stringify(fern))],
    ['gzip', JSON.stringify(fern)],
    ['br, gzip', 'x'],
    ['x-identity', 'x'],
    ['identity2', 'x'],
    ['Identity, deflate', JSON.stringify(fern)],
  ])('%s is refused with 415 and the codings that are accepted (RFC 9110, 15.5.16)', async (coding, body) => {
    const response = await target.request('/plants', {
      ...post({}, { 'content-encoding': coding }),
      body: body as BodyInit,
    })
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(await problemOf(response)).toMatchObject({
      type: 'urn:problem-type:plant-mock:unsupported-encoding',
      detail: `The body has the Content-Encoding ${coding}. Send the body uncompressed, without Content-Encoding.`,
    })
    expect(await target.mock.plants.all()).toEqual([])
    expect(await target.mock.violations()).toMatchObject([
      { section: '4.1', in: 'request', detail: `The body must be JSON; it has the Content-Encoding ${coding}.` },
    ])
  })

  it('of 2,500 codings is refused in few words, without a part of them', async () => {
    const coding = Array(2_500).fill('gzip').join()
    const response = await target.request('/plants', post(fern, { 'content-encoding': coding }))
    expect([response.status, (await problemOf(response)).detail]).toEqual([
      415,
      `The body has the Content-Encoding …. Send the body uncompressed, without Content-Encoding.`,
    ])
  })

  it.each(['identity', 'IDENTITY', 'identity, identity'])('%s succeeds', async (coding) => {
    const response = await target.request('/plants', post(fern, { 'content-encoding': coding }))
    expect(response.status).toBe(201)
    expect(await target.mock.violations()).toEqual([])
  })
})
