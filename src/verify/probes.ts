import type { AssumptionId, Assumptions, AssumptionValue } from '../core/assumptions/registry.ts'
import { isJsonObject } from '../util/json.ts'
import {
  agreement,
  type Find,
  known,
  otherStatus,
  outcomeOf,
  type ServiceObservation,
  statusOf,
  unseen,
  valueIn,
} from './finding.ts'
import {
  findDuplicateId,
  findDuplicateStatus,
  findEmptyStrings,
  findMaxBodySize,
  findRequired,
  findVisibility,
} from './probes/creates.ts'
import {
  findAuthBody,
  findBody,
  findDuplicateBody,
  findInvalidStatus,
  findLimitBody,
  findLimitStatus,
  findPathBody,
  findSyntaxBody,
  findSyntaxStatus,
} from './probes/failures.ts'
import {
  findDefaultLimit,
  findInvalidLimit,
  findLimitFormat,
  findMaxLimit,
  findRepeatedLimit,
  findZeroLimit,
} from './probes/lists.ts'
import { findOrder } from './probes/order.ts'
import {
  findMalformedStatus,
  findOtherMethods,
  findRateLimit,
  findScheme,
  findScope,
  findTokens,
} from './probes/tokens.ts'
import { requireCreated } from './sample-creates.ts'
import { refused, succeeded } from './send-request.ts'
import { listRequest } from './test-request.ts'

type IsUnion<T, All = T> = true extends (T extends unknown ? ([All] extends [T] ? false : true) : never) ? true : false

/** The assumptions that have alternatives. */
type VariableId = { [Id in AssumptionId]: IsUnion<Assumptions[Id]> extends true ? Id : never }[AssumptionId]

/** A service may use another status for a list, even though the registry has no alternative. */
type ProbedId = VariableId | 'list.status'

/** A service may read any body as JSON where the header is missing, but not that of another type. */
const contentTypes: readonly (readonly [input: string, headers: Readonly<Record<string, string>>])[] = [
  ['without a type', {}],
  ['text/plain', { 'content-type': 'text/plain' }],
]

/** A refused list shows something only where a valid list succeeds. */
const ifListsSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) =>
    succeeded(await context.client.send(listRequest('?limit=1'))) ? find(context) : unseen('no list succeeds')

/** A refused create shows something only where a valid create succeeds. */
const ifCreatesSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) => {
    requireCreated(await context.samples.first())
    return find(context)
  }

/**
 * The probes, in the order in which they run (the order of insertion, since no id is an integer): those that need many
 * plants come last. An assumption that gets an alternative does not compile without a probe.
 */
export const probes: { readonly [Id in ProbedId]: Find<Assumptions[Id]> } = {
  'list.status': async ({ client }) => statusOf('list.status', await client.send(listRequest('?limit=1'))),
  'json.contentType': async ({ client }) => {
    const response = await client.send(listRequest('?limit=1'))
    if (!succeeded(response)) return unseen('no list succeeds')
    const type = response.headers.get('content-type') ?? 'missing'
    return known('json.contentType', type, `it is ${type}`)
  },
  'auth.status': async ({ client }) => statusOf('auth.status', await client.send(listRequest('?limit=1', 'anonymous'))),
  'auth.tokens': ifListsSucceed(findTokens),
  'auth.unknownStatus': ifListsSucceed(async ({ client }) => {
    const [unknown, missing] = [
      await client.send(listRequest('?limit=1', 'unknown')),
      await client.send(listRequest('?limit=1', 'anonymous')),
    ]
    if (succeeded(unknown)) return unseen('any token is accepted')
    if (!refused(unknown)) return otherStatus(unknown)
    return unknown.status === missing.status ? 'same' : statusOf('auth.unknownStatus', unknown)
  }),
  'auth.malformedStatus': ifListsSucceed(findMalformedStatus),
  'error.body': findBody,
  'error.authBody': findAuthBody,
  'error.limitBody': findLimitBody,
  'error.invalidStatus': findInvalidStatus,
  'error.limitStatus': findLimitStatus,
  'error.syntaxStatus': ifCreatesSucceed(findSyntaxStatus),
  'operation.other': findOtherMethods,
  'body.maxSize': ifCreatesSucceed(findMaxBodySize),
  'list.zeroLimit': ifListsSucceed(findZeroLimit),
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
      const invalid = context.findings.get('error.invalidStatus') ?? (await findInvalidStatus(context))
      const ifRefused = response.status === valueIn(invalid) ? 'invalid' : otherStatus(response)
      observations.push([input, succeeded(response) ? 'ignore' : response.status === 415 ? 'require' : ifRefused])
    }
    return agreement(observations)
  }),
  'error.syntaxBody': ifCreatesSucceed(findSyntaxBody),
  'create.unknownFields': ifCreatesSucceed(async ({ samples }) =>
    outcomeOf(await samples.tryChanged((plant) => ({ ...plant, colour: 'green' })), 'ignore', 'reject'),
  ),
  'create.emptyStrings': ifCreatesSucceed(findEmptyStrings),
  'create.required': ifCreatesSucceed(findRequired),
  'create.visibility': findVisibility,
  'create.duplicateId': findDuplicateId,
  'create.duplicateStatus': findDuplicateStatus,
  'error.duplicateBody': findDuplicateBody,
  'list.order': findOrder,
  'list.limitFormat': ifListsSucceed(findLimitFormat),
  'list.invalidLimit': ifListsSucceed(findInvalidLimit),
  'list.repeatedLimit': ifListsSucceed(findRepeatedLimit),
  'list.maxLimit': ifListsSucceed(findMaxLimit),
  'list.defaultLimit': ifListsSucceed(findDefaultLimit),
  'rate.limit': findRateLimit,
  // Last, because a rate limit may count these requests as the caller's, or not.
  'auth.scheme': ifListsSucceed(findScheme),
  'auth.scope': ifListsSucceed(findScope),
  'error.pathBody': findPathBody,
}
