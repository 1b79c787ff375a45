import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchPath } from '../../../src/core/http/path-template.ts'

describe('matchPath', () => {
  it.each([
    ['a template without parameters', '/plants', '/plants', {}],
    ['the root', '/', '/', {}],
    ['one parameter', '/plants/{id}', '/plants/7', { id: '7' }],
    ['a parameter in the middle', '/snapshots/{name}/restore', '/snapshots/one/restore', { name: 'one' }],
    ['several parameters', '/gardens/{garden}/plants/{id}', '/gardens/a/plants/7', { garden: 'a', id: '7' }],
    ['adjacent parameters', '/{first}/{second}', '/a/b', { first: 'a', second: 'b' }],
    ['an encoded slash inside a segment', '/snapshots/{name}', '/snapshots/a%2Fb', { name: 'a/b' }],
    ['encoded UTF-8', '/snapshots/{name}', '/snapshots/%C3%A9', { name: 'é' }],
    ['a name like a property of objects', '/snapshots/{name}', '/snapshots/__proto__', { name: '__proto__' }],
  ])('matches %s', (_, template, path, parameters) => {
    expect(matchPath(template, path)).toEqual(parameters)
  })

  it.each([
    ['a different path', '/plants', '/plant'],
    ['a trailing slash', '/plants', '/plants/'],
    ['an encoded letter in a fixed segment', '/plants/{id}', '/%70lants/7'],
    ['an encoded letter without parameters', '/plants', '/%70lants'],
    ['an empty segment', '/plants/{id}', '/plants/'],
    ['a missing segment', '/plants/{id}', '/plants'],
    ['an additional segment', '/plants/{id}', '/plants/7/leaves'],
    ['a malformed percent-encoding', '/plants/{id}', '/plants/%'],
    ['percent-encoding that is not UTF-8', '/plants/{id}', '/plants/%FF'],
    ['a missing suffix', '/snapshots/{name}/restore', '/snapshots/one'],
    ['a different suffix', '/snapshots/{name}/restore', '/snapshots/one/delete'],
  ])('does not match %s', (_, template, path) => {
    expect(matchPath(template, path)).toBeUndefined()
  })

  it('returns any segments that encodeURIComponent encoded', () => {
    const segment = fc.string({ minLength: 1 }).filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(segment, segment, (a, b) => {
        const path = `/x/${encodeURIComponent(a)}/y/${encodeURIComponent(b)}`
        expect(matchPath('/x/{a}/y/{b}', path)).toEqual({ a, b })
      }),
    )
  })
})
