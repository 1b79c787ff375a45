import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../../src/core/http/address.ts'

describe('isLoopback', () => {
  it.each([
    'localhost',
    'LocalHost',
    'plants.localhost',
    '127.0.0.1',
    '127.255.255.255',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '::FFFF:127.1.2.3',
    '[::ffff:127.0.0.1]',
    new URL('http://[::ffff:127.0.0.1]').hostname,
  ])('accepts %s', (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each([
    '',
    'localhost.example',
    'notlocalhost',
    '127.0.0.1.example',
    '127.0.0.256',
    '127.0.0.01',
    '127.0.1',
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '[::1',
    '[127.0.0.1]',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.256',
    '::ffff:8000:1',
    '127.0.0.1:80',
    '127.0.0.1\n',
  ])('rejects %j', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
