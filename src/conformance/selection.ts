import { type AssumptionId, assumptionRegistry } from '../assumptions/registry.ts'
import { PlantMockError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import type { Find } from './finding.ts'
import type { ConformanceOptions } from './options.ts'
import { probes } from './probes.ts'
import { rules } from './rules/rules.ts'

const ruleIds = rules.map(({ id }) => id)
const knownIds: readonly string[] = [...ruleIds, ...assumptionRegistry.map(({ id }) => id)]

/** The rules and probes of a check. @throws PlantMockError for an unknown id. */
export const selectChecks = ({ rules: ids = ruleIds, skip = [] }: ConformanceOptions) => {
  const rule = ids.find((id) => !ruleIds.includes(id))
  if (rule !== undefined)
    throw new PlantMockError(`Unknown rule "${rule}".${suggestion(rule, ruleIds)} The rules are ${ruleIds.join(', ')}.`)
  const unknown = skip.find((id) => !knownIds.includes(id))
  if (unknown !== undefined)
    throw new PlantMockError(`Unknown rule or assumption "${unknown}" in skip.${suggestion(unknown, knownIds)}`)
  return {
    rules: rules.filter(({ id }) => ids.includes(id) && !skip.includes(id)),
    probes: (Object.entries(probes) as [AssumptionId, Find][]).filter(([id]) => !skip.includes(id)),
  }
}
