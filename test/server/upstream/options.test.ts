import { createPlantMock } from 'plant-mock'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'

describe('the options of an upstream', () => {
  it.each([
    ['ftp://x.example', /^Invalid upstream "ftp:/],
    ['ftp://user:secret@x.example', /^Invalid upstream "ftp:\/\/…@x\.example"/],
    ['nowhere', /Write it as https:\/\/api\.example\.com/],
    ['http://user:secret@x.example', /must not contain a user name or password/],
    ['http://x.example/?a=1', /without query and fragment/],
  ])('refuse the address %s', async (address, message) => {
    await expect(startPlantMock({ upstream: { url: address } })).rejects.toThrow(message)
  })

  it('refuse an unknown scope', async () => {
    const upstream = { url: 'http://x.example', for: 'plants' as 'all' }
    await expect(startPlantMock({ upstream })).rejects.toThrow("must be 'rest' or 'all', not \"plants\"")
  })

  it('are refused together with the option mock', async () => {
    const given = { mock: createPlantMock(), upstream: { url: 'http://x.example', for: 'all' } } as const
    await expect(startPlantMock(given)).rejects.toThrow('The options mock and upstream.for exclude each other')
  })

  it.each([{ check: 'report' }, { record: 'recorded.har' }] as const)(
    'require that the operations are forwarded, for %j',
    async (option) => {
      await expect(startPlantMock({ upstream: { url: 'http://x.example', ...option } })).rejects.toThrow(
        /--upstream-for all/,
      )
    },
  )
})
