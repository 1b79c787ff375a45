import { describe, expect, it } from 'vitest'
import { generatedSample } from '../../src/verify/read/failure-form.ts'

const anyId = '0000000000000000'

describe('a text that a service makes for each response', () => {
  it.each([
    ['2026-01-02T03:04:05.678Z', '2000-01-01T00:00:00Z'],
    ['2026-01-02 03:04', '2000-01-01T00:00:00Z'],
    ['2026-01-02', '2000-01-01'],
    ['20260102T030405Z', '20000101T000000Z'],
    ['20260102T030405.678', '20000101T000000Z'],
    ['20260102', '20000101'],
    ['1767323045', '1000000000'],
    ['1767323045678', '1000000000'],
    ['1767323045.678', '1000000000'],
    ['1b4e28ba-2fa1-41d2-883f-0016d3cca427', '00000000-0000-4000-8000-000000000000'],
    ['4F3A9C21', anyId],
    ['20261302', anyId],
    ['202601021', anyId],
    ['12345678901', anyId],
    ['01JGKZ8M5T4W7Q9X2B6N3C0V1D', anyId],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', anyId],
    ['trace=0af7651916cd43dd', anyId],
    ['urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427', anyId],
  ])('has a fixed sample, which is that of itself: %s', (text, sample) => {
    expect(generatedSample('', text)).toBe(sample)
    expect(generatedSample('', sample)).toBe(sample)
  })

  it.each([
    'Not Found',
    'invalid_request',
    '2026-01-02x',
    'deadbeef-cafe',
    'abcdefabcdef',
    '123456',
    'a0af7651916cd43ddz',
    '{detail}',
    '',
  ])('is not %j', (text) => {
    expect(generatedSample('', text)).toBeUndefined()
  })
})

describe('the name of a member', () => {
  it.each(['requestId', 'request_id', 'req-id', 'x-request-id', 'traceId', 'correlation_ref', 'activityId'])(
    'makes any text an id: %s',
    (key) => {
      expect(generatedSample(key, 'abc')).toBe(anyId)
      expect(generatedSample(key, 7)).toBe(0)
      for (const nothing of ['', '{detail}', true, null]) expect(generatedSample(key, nothing)).toBeUndefined()
    },
  )

  it.each(['took', 'elapsedMs', 'durationMs', 'request_took', 'requestElapsedMs'])(
    'makes any text a duration: %s',
    (key) => {
      expect(generatedSample(key, 'abc')).toBe('0')
      expect(generatedSample(key, 7)).toBe(0)
    },
  )

  it.each(['timestamp', 'createdAt', 'created_at', 'expires-time'])('makes a number a time: %s', (key) => {
    expect(generatedSample(key, 7)).toBe(0)
    expect(generatedSample(key, 'abc')).toBeUndefined()
  })

  it.each(['id', 'format', 'update', 'mistook', 'code'])('says nothing: %s', (key) => {
    expect([generatedSample(key, 'abc'), generatedSample(key, 7)]).toEqual([undefined, undefined])
  })

  it('is not needed for numbers that may be times', () => {
    expect([generatedSample('', 1e9), generatedSample('', 1e9 - 1)]).toEqual([0, undefined])
    expect(generatedSample('createdAt', true)).toBeUndefined()
  })
})
