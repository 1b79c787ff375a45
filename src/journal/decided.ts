import { type AssumptionId, type Assumptions, defaultAssumptions } from '../assumptions/registry.ts'
import { type ProblemType, problemTypes } from '../contract/problems.ts'

/** Assumptions with a part in most responses, which say little about one of them. */
const isMinor = (id: AssumptionId): boolean =>
  id === 'list.status' || id === 'auth.tokens' || id === 'rate.limit' || /^(?:error|json)\./.test(id)

/**
 * The assumption that says most about a response, with its value: `list.order=newest`. One that differs from its default
 * comes first, then what the operation decided, then what decides about the problem.
 * @param ids The assumptions behind the response, in the order in which they decided.
 * @param values The assumptions in force.
 * @returns `undefined` when no assumption decided.
 */
export const decidedBy = (
  ids: readonly AssumptionId[],
  problem: ProblemType | undefined,
  values: Assumptions,
): string | undefined => {
  const major = ids.filter((id) => !isMinor(id))
  const differs = (id: AssumptionId): boolean => values[id] !== defaultAssumptions[id]
  const ofProblem = problem && problemTypes[problem].decidedBy?.find((id) => ids.includes(id))
  const id = major.find(differs) ?? major[0] ?? ofProblem ?? ids.find(differs) ?? ids[0]
  return id === undefined ? undefined : `${id}=${values[id]}`
}
