import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey } from '../contract/caller.ts'
import { parsePlantId } from '../contract/schemas.ts'
import { plantText } from './list.ts'
import type { ServiceRequest } from './request.ts'
import type { Performed } from './result.ts'
import { changePlants, type State } from './state.ts'

export const deletePlant = (
  state: State,
  { parameters }: ServiceRequest,
  caller: CallerKey,
  assumptions: Assumptions,
): Performed => {
  const { plants } = state
  const id = parsePlantId(parameters.id)
  const last = plants.findDuplicate(caller, id, 'conflict')
  if (last === undefined) return { state, result: missing(parameters.id, assumptions) }
  const status = assumptions['operation.delete'] === 200 ? 200 : 204
  const removed = plants.visibleTo(caller).filter((position) => plants.at(position).id === id)
  const plant = plants.at(last)
  const showing: readonly AssumptionId[] = ['json.keyOrder', 'json.contentType']
  return {
    state: changePlants(state, new Map(removed.map((position) => [position, undefined]))),
    result: {
      status,
      body: status === 204 ? undefined : plantText(plant, assumptions),
      assumptions: [
        ...decidedBy,
        ...(status === 204 ? [] : showing),
        ...(status === 204 || plant.tag !== undefined ? [] : (['create.missingTag'] as const)),
      ],
    },
  }
}

const decidedBy: readonly AssumptionId[] = ['operation.delete', 'auth.tokens', 'rate.limit']

const missing = (id = '', assumptions: Assumptions): Performed['result'] => {
  const status = assumptions['delete.missingStatus']
  const by: readonly AssumptionId[] = ['delete.missingStatus', 'operation.delete']
  if (status === 204) return { status, body: undefined, assumptions: [...by, ...decidedBy.slice(1)] }
  const detail = `No plant that the caller may access has the id ${id}.`
  return { problem: 'not-found', detail, status, assumptions: by }
}
