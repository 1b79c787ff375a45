import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'
import { sendJson } from '../../support/upstream.ts'

const { serve, start } = useServers()

const names = 4_159
const longQuery = `/plants?${Array.from({ length: names }, (_, index) => index.toString(36)).join('&')}`

describe('a request with thousands of violations', () => {
  it('shows 20 of them, how many more there are, and the beginning of its URL', async () => {
    const mock = createPlantMock()
    await mock.fetch(longQuery, as('alice'))
    const [entry] = await mock.requests.all()
    expect([entry?.violations.length, entry?.violationsOmitted]).toEqual([20, names - 20])
    const violations = await mock.violations()
    expect(violations).toHaveLength(20)
    expect(violations.map(({ request }) => request)).toEqual(Array(20).fill(entry?.id))
    expect(violations.map(({ omitted }) => omitted)).toEqual([...Array(19).fill(undefined), names - 20])
    expect(Math.max(...violations.map(({ exchange }) => exchange.length))).toBeLessThanOrEqual(210)
  })

  it('may come often', async () => {
    const { url, mock } = await start({})
    for (let count = 0; count < 60; count++) await mock.fetch(longQuery, as('alice'))
    const text = await (await fetch(`${url}/__plant-mock/violations`)).text()
    expect(JSON.parse(text).violations).toHaveLength(1_200)
    expect(text.length).toBeLessThan(720_000)
    const state = (await (await fetch(`${url}/__plant-mock/state`)).json()) as { violations: number }
    expect(state.violations).toBe(names * 60)
  })

  it('has no more of them in the log and in the response of a strict check', async () => {
    const { url: upstream } = await serve((_, res) => sendJson(res, 200, []))
    const logged: { violations: readonly unknown[]; violationsOmitted?: number }[] = []
    for (const check of ['report', 'strict'] as const) {
      const { url } = await start({
        upstream: { url: upstream, for: 'all', check },
        onRequest: (request) => logged.push(request),
      })
      const response = await fetch(url + longQuery, as('alice'))
      const document = (await response.json()) as { violations?: readonly unknown[]; violationsOmitted?: number }
      if (check === 'strict')
        expect([document.violations?.length, document.violationsOmitted]).toEqual([20, names - 20])
    }
    expect(logged.map(({ violations, violationsOmitted }) => [violations.length, violationsOmitted])).toEqual([
      [20, names - 20],
      [20, names - 20],
    ])
  })
})
