import type { CallerKey } from '../../core/contract/caller.ts'
import type { ServiceRequest } from '../../core/model/request.ts'
import { authenticate, type Credentials } from '../../core/operations/call.ts'
import { limitsIn } from '../../core/operations/limit.ts'
import type { Mutation } from './mutant.ts'

export const stranger = 'plant-mock-stranger' as CallerKey

export const refused: Mutation = {
  request: (request) =>
    request.caller.key === undefined
      ? request
      : {
          ...request,
          caller: {
            key: undefined,
            refusal: authenticate() as Extract<Credentials, { token: undefined }>,
            hasHeader: false,
          },
        },
}

const admitting = (
  isAdmitted: (caller: Extract<ServiceRequest['caller'], { key: undefined }>) => boolean,
): Mutation => ({
  request: (request) =>
    request.caller.key === undefined && isAdmitted(request.caller)
      ? { ...request, caller: { key: stranger, isListed: true, isExact: true } }
      : request,
})

export const open = admitting(() => true)

/** Accepts a header with a scheme other than Bearer, which the mock treats as a missing token. */
export const anyScheme = admitting(({ hasHeader, refusal }) => hasHeader && refusal.problem === 'missing-token')

const limit = (change: (limit: number) => string | undefined): Mutation => ({
  request(request) {
    const [sent, ...others] = request.limits
    const query = sent?.digits === undefined || others.length > 0 ? undefined : change(sent.digits)
    return query === undefined ? request : { ...request, limits: limitsIn(query) }
  },
})

export const extraPlant = limit((limit) => `limit=${limit + 1}`)

export const ignoredZero = limit((limit) => (limit === 0 ? '' : undefined))

export const ignoredLarge = limit((limit) => (limit >= 10 ? '' : undefined))
