import { expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'
import { sendJson } from '../../support/upstream.ts'

const { serve, startProxy } = useServers()

it('a fault on a forwarded response leaves the violations in its header', async () => {
  const { url: upstream } = await serve((_, res) => sendJson(res, 200, [{ name: 'Fern', tag: 'fern', id: 7 }]))
  const { url, mock } = await startProxy(upstream, { for: 'all', check: 'report' })
  await mock.fail({ malformed: true })
  const { headers } = await fetch(`${url}/plants`, as('alice'))
  expect(headers.get('plant-mock-source')).toBe('fault; kind="malformed"')
  expect(headers.get('plant-mock-violations')).toMatch(/^"response 2\.2, 4\.2: /)
})
