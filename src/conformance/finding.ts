import type { AssumptionValue } from '../assumptions/registry.ts'
import type { CheckContext } from './context.ts'
import { refused, succeeded, type TestResponse } from './send-request.ts'
import { listRequest } from './test-request.ts'

/** The result of a probe: a value of the registry, other behaviour, or the reason why nothing could be observed. */
export type Finding<Value extends AssumptionValue = AssumptionValue> =
  | { readonly value: Value }
  | { readonly other: string }
  | { readonly unseen: string }

/** Finds out how a service behaves at one open point. */
export type Find<Value extends AssumptionValue = AssumptionValue> = (context: CheckContext) => Promise<Finding<Value>>

export const unseen = (reason: string): { readonly unseen: string } => ({ unseen: reason })

export const otherStatus = ({ status }: TestResponse): { readonly other: string } => ({
  other: `it responds with ${status}`,
})

/** The status as the value, if the registry has it. */
export const statusOf = <Value extends number>(response: TestResponse, ...known: readonly Value[]): Finding<Value> => {
  const value = known.find((status) => status === response.status)
  return value === undefined ? otherStatus(response) : { value }
}

/** One value if the request succeeds, another if it is refused. */
export const byOutcome = <Value extends AssumptionValue>(
  response: TestResponse,
  ifSucceeded: Value,
  ifRefused: Value,
): Finding<Value> => {
  if (succeeded(response)) return { value: ifSucceeded }
  return refused(response) ? { value: ifRefused } : otherStatus(response)
}

/** One word if the request succeeds, another if it is refused; otherwise the status. */
export const outcomeOf = (response: TestResponse, ifSucceeded: string, ifRefused: string): string => {
  if (succeeded(response)) return ifSucceeded
  return refused(response) ? ifRefused : otherStatus(response).other
}

/** The behaviour that one input of several shows. */
export type Observation = readonly [input: string, observed: AssumptionValue]

/** The value that all observations share, if the registry has it; otherwise a list of the observations. */
export const agreement = <Value extends AssumptionValue>(
  observations: readonly Observation[],
  ...known: readonly Value[]
): Finding<Value> => {
  const [[, first] = ['', '']] = observations
  if (observations.some(([, observed]) => observed !== first))
    return { other: observations.map(([input, observed]) => `${input}: ${observed}`).join('; ') }
  const value = known.find((value) => value === first)
  return value === undefined ? { other: String(first) } : { value }
}

/** A refused list shows something only where a valid list succeeds. */
export const ifListsSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) =>
    succeeded(await context.client.send(listRequest('?limit=1'))) ? find(context) : unseen('no list succeeds')

/** A refused create shows something only where a valid create succeeds. */
export const ifCreatesSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) =>
    succeeded((await context.samples.first()).response) ? find(context) : unseen('no create succeeds')
