import { describe, expect, it } from 'vitest'
import { withoutProxyTo } from '../../src/util/proxy.ts'

describe('an environment without a proxy to a server', () => {
  const proxy = { HTTP_PROXY: 'http://proxy.example:3128' }

  it.each([
    ['http://127.0.0.1:4010', proxy, '127.0.0.1'],
    ['http://127.0.0.1:4010', { all_proxy: 'http://proxy.example' }, '127.0.0.1'],
    ['http://127.0.0.1:4010', { ...proxy, NO_PROXY: 'a.example, b' }, 'a.example, b,127.0.0.1'],
    ['http://127.0.0.1:4010', { ...proxy, NO_PROXY: 'a.example', no_proxy: 'b.example' }, 'b.example,127.0.0.1'],
    ['http://127.0.0.1:4010', { ...proxy, no_proxy: '*' }, '*'],
    ['http://[::1]:4010/api', proxy, '[::1],::1'],
  ])('names %s in NO_PROXY beside %j', (url, environment, names) => {
    expect(withoutProxyTo(url, environment)).toEqual({ ...environment, NO_PROXY: names, no_proxy: names })
  })

  it.each([{}, { NO_PROXY: 'a' }, { HTTP_PROXY: '' }])('is as before if it names no proxy: %j', (environment) => {
    expect(withoutProxyTo('http://127.0.0.1', environment)).toEqual(environment)
  })
})
