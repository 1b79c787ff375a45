import { connectPlantMock } from 'plant-mock/control'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'
import { echo } from '../../support/upstream.ts'

const { serve } = useServers()

const useServer = async (options: Parameters<typeof startPlantMock>[0]) => {
  const server = await startPlantMock({ fixtures: ['garden'], ...options })
  return { ...server, [Symbol.asyncDispose]: server.close, origin: new URL(server.url).origin }
}

describe('a mock with a base path', () => {
  it('serves the operations below it, and has it in its address', async () => {
    await using server = await useServer({ basePath: '/api/v1/' })
    const { url, origin, mock } = server
    expect(url).toBe(`${origin}/api/v1`)
    expect((await fetch(`${url}/plants?limit=2`, as('alice'))).status).toBe(200)
    expect((await mock.requests.all()).map(({ url }) => url)).toEqual(['/plants?limit=2'])
  })

  it.each(['/plants', '/api/plants', '/api/v1plants', '/api/v10/plants'])('has nothing at %s', async (path) => {
    await using server = await useServer({ basePath: '/api/v1' })
    const response = await fetch(server.origin + path, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { detail: `GET ${path} is outside of the base path /api/v1. Use /api/v1/plants.` },
    ])
    expect(await server.mock.requests.all()).toMatchObject([{ url: path, response: { json: { status: 404 } } }])
  })

  it('is controlled below it, and at its root', async () => {
    await using server = await useServer({ basePath: '/api/v1' })
    expect(server.controlUrl).toBe(`${server.origin}/__plant-mock/`)
    for (const url of [server.url, server.origin])
      expect(await connectPlantMock(url).plants.all()).toEqual(await server.mock.plants.all())
  })

  it('has it in the commands of its start page', async () => {
    await using server = await useServer({ basePath: '/api/v1' })
    for (const url of [server.url, server.origin])
      expect(await (await fetch(url)).text()).toContain(`'${server.url}/plants?limit=3'`)
  })

  it('forwards the path below it to the address of the upstream', async () => {
    const upstream = await serve(echo)
    await using server = await useServer({ basePath: '/api/v1', upstream: { url: `${upstream.url}/real` } })
    expect(await (await fetch(`${server.url}/orders?page=2`)).json()).toMatchObject({ url: '/real/orders?page=2' })
  })

  it.each(['api', '', '/', '/api/..', '/./api', '/api?x', '/a b', '/a//b', 'http://x/api'])(
    'needs a path, unlike %j',
    async (basePath) => {
      await expect(startPlantMock({ basePath })).rejects.toThrow(
        `The option basePath must be a path such as /api/v1, not ${JSON.stringify(basePath)}.`,
      )
    },
  )
})

it('a mock without a base path names the option where a client has one', async () => {
  await using server = await useServer({})
  const detailOf = async (path: string) =>
    ((await (await fetch(server.url + path, as('alice'))).json()) as { detail: string }).detail
  expect(await detailOf('/api/v1/plants')).toContain('Is /api/v1 the path of the base URL? Set it: --base-path /api/v1')
  for (const path of ['/api/v1/plants/1', '//plants', '/$/plants'])
    expect(await detailOf(path)).not.toContain('--base-path')
})
