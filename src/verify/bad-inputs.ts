import { createRequest, listRequest, namePrefix, type TestRequest } from './test-request.ts'

const withAuthorization = (authorization: string): TestRequest => listRequest('', 'anonymous', { authorization })

type BadInput = readonly [input: string, request: TestRequest]

/**
 * Invalid requests, each with a name for messages. A service should refuse them, and must not fail with 5xx. Bodies are
 * no JSON, or have the prefix where a careless service may store them.
 */
export const badInputs: readonly BadInput[] = [
  ['half an object', createRequest('{"name":"x"')],
  ['unclosed arrays, 2,000 deep', createRequest('['.repeat(2_000))],
  ['a control character', createRequest(`{"name":"${namePrefix} \u0000","id":"x","tag":1}`)],
  ['wrong types', createRequest({ name: 1, id: namePrefix, tag: `${namePrefix} of wrong types` })],
  ['an object for a name', createRequest({ name: {}, id: {}, tag: `${namePrefix} of wrong types` })],
  ['a number beyond double precision', createRequest(`{"name":"${namePrefix}","id":1e999,"tag":2}`)],
  ['a limit in words', listRequest('?limit=abc')],
  ['a negative limit', listRequest('?limit=-1')],
  ['a limit beyond 64 bits', listRequest('?limit=99999999999999999999999')],
  ['a limit with a broken escape', listRequest('?limit=%ZZ')],
  ['no token', listRequest('?limit=1', 'anonymous')],
  ['a token with spaces', withAuthorization('Bearer a b')],
  ['a scheme alone', withAuthorization('Bearer')],
  ['a long token', withAuthorization(`Bearer ${'x'.repeat(4_000)}`)],
]

/** Bodies that a careless service may store without the prefix, or so that its lists fail from then on. */
export const intrusiveInputs: readonly BadInput[] = [
  ['an array', createRequest('[]')],
  ['null', createRequest('null')],
  ['a number', createRequest('1')],
  ['a lone surrogate', createRequest(`{"name":"${namePrefix} \\ud800","id":"x","tag":1}`)],
  ['deep nesting', createRequest(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)],
]
