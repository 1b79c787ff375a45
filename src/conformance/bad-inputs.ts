import { namePrefix } from './sample-plants.ts'
import { createRequest, listRequest, type TestRequest } from './test-request.ts'

const withAuthorization = (authorization: string): TestRequest => listRequest('', 'anonymous', { authorization })

/** Invalid requests, each with a name for messages. A service should refuse them, and must not fail with 5xx. */
export const badInputs: readonly (readonly [input: string, request: TestRequest])[] = [
  ['half an object', createRequest('{"name":"x"')],
  ['an array', createRequest('[]')],
  ['null', createRequest('null')],
  ['wrong types', createRequest({ name: 1, id: namePrefix, tag: [] })],
  ['an object for a name', createRequest({ name: {}, id: {}, tag: { name: namePrefix } })],
  ['a number beyond double precision', createRequest('{"name":1,"id":1e999,"tag":2}')],
  ['deep nesting', createRequest(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)],
  ['a lone surrogate', createRequest('{"name":"\\ud800","id":"x","tag":1}')],
  ['a limit in words', listRequest('?limit=abc')],
  ['a negative limit', listRequest('?limit=-1')],
  ['a limit beyond 64 bits', listRequest('?limit=99999999999999999999999')],
  ['a limit with a broken escape', listRequest('?limit=%ZZ')],
  ['no token', listRequest('?limit=1', 'anonymous')],
  ['a token with spaces', withAuthorization('Bearer a b')],
  ['a scheme alone', withAuthorization('Bearer')],
  ['a long token', withAuthorization(`Bearer ${'x'.repeat(4_000)}`)],
]
