import type { AssumptionId, Assumptions, AssumptionValue } from '../../core/assumptions/registry.ts'
import { isJsonObject } from '../../util/json.ts'
import {
  agreement,
  known,
  otherStatus,
  outcomeOf,
  type ServiceObservation,
  statusOf,
  unseen,
  valueIn,
} from '../read/finding.ts'
import { refused, succeeded } from '../read/response.ts'
import { listRequest } from '../read/test-request.ts'
import type { Find } from './check-context.ts'
import * as creates from './probes/creates.ts'
import { findDelete, findMissingStatus } from './probes/deletes.ts'
import * as failures from './probes/failures.ts'
import * as lists from './probes/lists.ts'
import { findOrder } from './probes/order.ts'
import * as tokens from './probes/tokens.ts'
import { requireCreated } from './sample-creates.ts'

type IsUnion<T, All = T> = true extends (T extends unknown ? ([All] extends [T] ? false : true) : never) ? true : false

/** The assumptions that have alternatives. */
type VariableId = { [Id in AssumptionId]: IsUnion<Assumptions[Id]> extends true ? Id : never }[AssumptionId]

/**
 * Includes `list.status`, because a service may use a status for which the registry has no value. Excludes
 * `create.idRange`, because the check creates no plant with an id outside of the announced range.
 */
type ProbedId = Exclude<VariableId, 'create.idRange'> | 'list.status'

/** A service may read a body without Content-Type as JSON, but refuse a body of another type. */
const contentTypes: readonly (readonly [input: string, headers: Readonly<Record<string, string>>])[] = [
  ['without a type', {}],
  ['text/plain', { 'content-type': 'text/plain' }],
]

/** A refused list counts only if a valid list succeeds. */
const ifListsSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) =>
    succeeded(await context.client.send(listRequest('?limit=1'))) ? find(context) : unseen('no list succeeds')

/** A refused create counts only if a valid create succeeds. */
const ifCreatesSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) => {
    requireCreated(await context.samples.first())
    return find(context)
  }

/** Probes that delete a plant of the check. They run last, because earlier steps expect the plant in lists. */
export const finalProbes = {
  'operation.delete': findDelete,
  'delete.missingStatus': findMissingStatus,
}

/**
 * The probes, in the order of their execution: probes that need many plants come last. An assumption with alternatives
 * does not compile without a probe.
 */
export const probes: { readonly [Id in Exclude<ProbedId, keyof typeof finalProbes>]: Find<Assumptions[Id]> } = {
  'list.status': async ({ client }) => statusOf('list.status', await client.send(listRequest('?limit=1'))),
  'json.contentType': async ({ client }) => {
    const response = await client.send(listRequest('?limit=1'))
    if (!succeeded(response)) return unseen('no list succeeds')
    const type = response.headers.get('content-type') ?? 'missing'
    return known('json.contentType', type, `it is ${type}`)
  },
  'auth.status': async ({ client }) => statusOf('auth.status', await client.send(listRequest('?limit=1', 'anonymous'))),
  'auth.tokens': ifListsSucceed(tokens.findTokens),
  'auth.unknownStatus': ifListsSucceed(async ({ client }) => {
    const [unknown, missing] = [
      await client.send(listRequest('?limit=1', 'unknown')),
      await client.send(listRequest('?limit=1', 'anonymous')),
    ]
    if (succeeded(unknown)) return unseen('any token is accepted')
    if (!refused(unknown)) return otherStatus(unknown)
    return unknown.status === missing.status ? 'same' : statusOf('auth.unknownStatus', unknown)
  }),
  'auth.malformedStatus': ifListsSucceed(tokens.findMalformedStatus),
  'error.body': failures.findBody,
  'error.authBody': failures.findAuthBody,
  'error.limitBody': failures.findLimitBody,
  'error.invalidStatus': failures.findInvalidStatus,
  'error.limitStatus': failures.findLimitStatus,
  'error.syntaxStatus': ifCreatesSucceed(failures.findSyntaxStatus),
  'operation.other': tokens.findOtherMethods,
  'body.maxSize': ifCreatesSucceed(creates.findMaxBodySize),
  'list.zeroLimit': ifListsSucceed(lists.findZeroLimit),
  'create.status': async ({ samples }) => statusOf('create.status', requireCreated(await samples.first())),
  'json.keyOrder': async ({ samples }) => {
    const creation = await samples.first()
    const keys = Object.keys(isJsonObject(creation.json) ? creation.json : {})
    const [name, tag] = [keys.indexOf('name'), keys.indexOf('tag')]
    if (!succeeded(creation) || name === -1 || tag === -1) return unseen('no create response has both keys')
    return name < tag ? 'name-tag' : 'tag-name'
  },
  'create.contentType': ifCreatesSucceed(async (context) => {
    const { samples } = context
    const observations: ServiceObservation<Assumptions['create.contentType']>[] = []
    for (const [input, headers] of contentTypes) {
      const response = await samples.tryChanged((plant) => plant, { headers })
      const invalid = context.findings.get('error.invalidStatus') ?? (await failures.findInvalidStatus(context))
      const ifRefused = response.status === valueIn(invalid) ? 'invalid' : otherStatus(response)
      observations.push([input, succeeded(response) ? 'ignore' : response.status === 415 ? 'require' : ifRefused])
    }
    return agreement(observations)
  }),
  'error.syntaxBody': ifCreatesSucceed(failures.findSyntaxBody),
  'create.unknownFields': ifCreatesSucceed(async ({ samples }) =>
    outcomeOf(await samples.tryChanged((plant) => ({ ...plant, colour: 'green' })), 'ignore', 'reject'),
  ),
  'create.emptyStrings': ifCreatesSucceed(creates.findEmptyStrings),
  'create.required': ifCreatesSucceed(creates.findRequired),
  'create.missingTag': ifCreatesSucceed(creates.findMissingTag),
  'create.nullTag': ifCreatesSucceed(creates.findNullTag),
  'create.visibility': creates.findVisibility,
  'create.duplicateId': creates.findDuplicateId,
  'create.duplicateStatus': creates.findDuplicateStatus,
  'error.duplicateBody': failures.findDuplicateBody,
  'list.order': findOrder,
  'list.limitFormat': ifListsSucceed(lists.findLimitFormat),
  'list.invalidLimit': ifListsSucceed(lists.findInvalidLimit),
  'list.repeatedLimit': ifListsSucceed(lists.findRepeatedLimit),
  'list.maxLimit': ifListsSucceed(lists.findMaxLimit),
  'list.defaultLimit': ifListsSucceed(lists.findDefaultLimit),
  'rate.limit': tokens.findRateLimit,
  // Last, because these requests may or may not count towards the caller's rate limit.
  'auth.scheme': ifListsSucceed(tokens.findScheme),
  'auth.scope': ifListsSucceed(tokens.findScope),
  'error.pathBody': failures.findPathBody,
}
