import type { NewPlant } from '../../../core/contract/schemas.ts'
import { isRecognisable, refused, type TestResponse } from '../../read/response.ts'
import { createRequest, isCreate, listRequest, namePrefix, type TestRequest } from '../../read/test-request.ts'
import { describe, failed, isNoVerdict, passed, type RuleVerdict, skipped } from '../../read/verdict.ts'
import type { RuleChecks } from '../check-context.ts'
import { requireCreated } from '../sample-creates.ts'
import { InconclusiveError, NoResponseError } from '../send-request.ts'

/** Advice: users expect these rules of any service; the contract states neither failures nor values (2.4, 4, 7). */
export const robustnessChecks = {
  'robust.refusal': {
    reliesOnRefusals: true,
    async check({ samples }) {
      const { plant: valid } = requireCreated(await samples.first())
      for (const [field, wrong] of wrongValues) {
        const change = (plant: NewPlant) => ({ ...plant, [field]: wrong(plant) })
        if (!isRecognisable(change(valid))) continue
        const response = await samples.sendChanged(change)
        if (refused(response)) continue
        const reason = `${field} is ${JSON.stringify(wrong(response.plant))}, and ${describe(response)}`
        return isNoVerdict(response) ? skipped(reason) : failed(response, reason)
      }
      return passed
    },
  },
  'robust.input': {
    async check({ client }) {
      let verdict = passed
      for (const [input, request] of badInputs) {
        if (isCreate(request) && !client.canCreate) continue
        const found: RuleVerdict = await client
          .send(request)
          .then(withoutServerError, (error) => causeOf(error, request))
        if (found.outcome === 'failed') return { ...found, reason: `${input}: ${found.reason}` }
        if (found.outcome === 'skipped') verdict = skipped(`${input}: ${found.reason}`)
        if (client.stopped !== undefined) return skipped(client.stopped)
      }
      return verdict
    },
  },
} as const satisfies RuleChecks

const withoutServerError = (response: TestResponse): RuleVerdict => {
  if (response.status < 500) return passed
  return isNoVerdict(response) ? skipped(describe(response)) : failed(response, describe(response))
}

/** A crashed service does not respond. Neither does a gateway that drops requests without a valid token. */
const causeOf = (error: unknown, { as }: TestRequest): RuleVerdict => {
  if (error instanceof InconclusiveError) return skipped(error.message)
  if (!(error instanceof NoResponseError)) throw error
  return as === 'anonymous' ? skipped(error.message) : failed(error, error.message)
}

/** One field at a time: a service may check only some fields, or convert text to numbers. */
const wrongValues: readonly (readonly [field: keyof NewPlant, wrong: (plant: NewPlant) => unknown])[] = [
  ['name', () => 1],
  ['tag', () => 2],
  ['id', () => 'three'],
  ['id', ({ id }) => String(id)],
]

const withAuthorization = (authorization: string): TestRequest => listRequest('', 'anonymous', { authorization })

type BadInput = readonly [input: string, request: TestRequest]

/** No JSON, or with the prefix, because a careless service may store them. None may fail with 5xx. */
const badInputs: readonly BadInput[] = [
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
