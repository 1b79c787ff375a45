import { assumptionsFromSeed } from '../../../core/assumptions/from-seed.ts'
import { assumptionRegistry, defaultAssumptions } from '../../../core/assumptions/registry.ts'
import { seedIn } from '../request-body.ts'
import type { ControlRequest, RouteTable } from '../route.ts'
import { ownRoute } from './commands.ts'

/** Read and change assumptions. */
export const assumptionRoutes: RouteTable = {
  ...ownRoute('GET /assumptions', { run: (request) => describeAssumptions(request) }),
  'POST /assumptions/seed': {
    summary: 'Chooses every assumption from a seed',
    body: 'Seed',
    response: 'Assume',
    run: async ({ instance, body }) => {
      const assume = { ...defaultAssumptions, ...assumptionsFromSeed(seedIn(body)) }
      await instance.assume(assume)
      return assume
    },
  },
}

const describeAssumptions = ({ instance: { inForce }, provenance, startedWith }: ControlRequest) => ({
  values: inForce,
  registry: assumptionRegistry.map((row) => {
    const value = inForce[row.id]
    return {
      id: row.id,
      section: row.section,
      question: row.question,
      default: row.default,
      alternatives: row.alternatives,
      further: row.further,
      ...(row.form !== undefined && { form: row.form }),
      samples: row.samples,
      ...(row.rare && { rare: true }),
      value,
      ...(provenance[row.id] !== undefined && startedWith[row.id] === value && { provenance: provenance[row.id] }),
      meaning: row.meaning(value),
    }
  }),
})
