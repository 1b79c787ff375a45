import type { AssumptionValue } from '../assumptions/registry.ts'
import type { Client } from './client.ts'
import type { CheckContext } from './sample-plants.ts'
import { refused, succeeded, type TestResponse } from './send-request.ts'
import type { TestRequest } from './test-request.ts'

/** Behaviour that is none of the values in the registry. */
type Other = { readonly other: string }
type Unseen = { readonly unseen: string }

/** The result of a probe: a value of the registry, other behaviour, or the reason why nothing could be observed. */
export type Finding<Value extends AssumptionValue = AssumptionValue> = Value | Other | Unseen

/** Finds out how a service behaves at one open point; throws InconclusiveError when it cannot. */
export type Find<Value extends AssumptionValue = AssumptionValue> = (context: CheckContext) => Promise<Finding<Value>>

export const unseen = (reason: string): Unseen => ({ unseen: reason })
export const other = (behaviour: string): Other => ({ other: behaviour })
export const otherStatus = ({ status }: TestResponse): Other => other(`it responds with ${status}`)

/** The status, if it is one of the values. */
export const statusOf = <Value extends number>(response: TestResponse, ...known: readonly Value[]): Value | Other =>
  known.find((status) => status === response.status) ?? otherStatus(response)

/** One finding if the request succeeds, another if it is refused; otherwise the status. */
export const outcomeOf = <Value extends AssumptionValue>(
  response: TestResponse,
  ifSucceeded: Value | Other,
  ifRefused: Value,
): Value | Other => {
  if (succeeded(response)) return ifSucceeded
  return refused(response) ? ifRefused : otherStatus(response)
}

/** The finding that one input of several leads to. */
export type Observation<Value extends AssumptionValue> = readonly [input: string, found: Value | Other]

/** The finding that all observations share; otherwise a list of the observations. */
export const agreement = <Value extends AssumptionValue>(observed: readonly Observation<Value>[]): Finding<Value> => {
  const [[, first] = []] = observed
  if (first === undefined) return unseen('no invalid request is refused')
  const texts = observed.map(([, found]) => (typeof found === 'object' ? found.other : String(found)))
  if (texts.every((text) => text === texts[0])) return first
  return other(observed.map(([input], i) => `${input}: ${texts[i]}`).join('; '))
}

/** Sends invalid requests, apart from creates in a read-only check, and compares the refusals. */
export const findInRefusals = async <Value extends AssumptionValue>(
  client: Client,
  find: (refusal: TestResponse) => Value | Other,
  requests: readonly (readonly [input: string, request: TestRequest])[],
): Promise<Finding<Value>> => {
  const observations: Observation<Value>[] = []
  for (const [input, request] of requests) {
    if (request.method === 'POST' && !client.canCreate) continue
    const response = await client.send(request)
    if (refused(response)) observations.push([input, find(response)])
  }
  return agreement(observations)
}
