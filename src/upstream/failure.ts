import type { ProblemType } from '../contract/problems.ts'

/** Why the upstream gave no answer. */
export type Failure = { readonly problem: ProblemType; readonly detail: string }

/** The upstream took too long. */
export class UpstreamTimeout extends Error {}

/** A failure of the connection in words that name the upstream and say what to look at. */
export const failureOf = (error: unknown, upstream: string, timeout: number): Failure => {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof UpstreamTimeout || code === 'ERR_UPSTREAM_UPGRADE_TIMEOUT')
    return {
      problem: 'upstream-timeout',
      detail: `${upstream} did not answer within ${timeout / 1000} s. --upstream-timeout allows more.`,
    }
  const why = reasons[code]
  if (why !== undefined) return { problem: 'upstream-unreachable', detail: `${upstream} ${why} (${code}).` }
  if (/^(?:CERT|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return {
      problem: 'upstream-unreachable',
      detail: `${upstream} has a certificate that is not trusted (${code}). NODE_EXTRA_CA_CERTS names a file of others.`,
    }
  return { problem: 'upstream-broken', detail: `${upstream} broke the connection off (${code || message}).` }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections; is it running?',
  ENOTFOUND: 'is not a name that can be found',
  EAI_AGAIN: 'is not a name that can be found now',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'cannot be reached from here',
}
