import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { bearer, createPlantMock } from 'plant-mock'
import { checkOverrides, unhandled } from 'plant-mock/msw'
import { expect, it, vi } from 'vitest'

it('an override is caught where no MessageChannel exists, as in jsdom', async () => {
  vi.stubGlobal('MessageChannel', undefined)
  const server = setupServer(http.get('*/plants', () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'x' }])))
  server.listen(unhandled('error'))
  const texts: string[] = []
  const { settled, stop } = checkOverrides(server, createPlantMock({ onNotice: (text) => texts.push(text) }))
  await (await fetch('https://api.example.com/plants', { headers: bearer('alice') })).text()
  await settled()
  stop()
  server.close()
  vi.unstubAllGlobals()
  expect(texts).toEqual([expect.stringContaining('id is not a field of a plant')])
})
