import type { ProblemType } from '../../core/contract/problems.ts'
import { withoutUserInfo } from '../../core/http/address.ts'
import { PlantMockError } from '../../util/errors.ts'

export type UpstreamFailure = { readonly problem: ProblemType; readonly detail: string }

export class UpstreamTimeout extends Error {}

/**
 * Describes a failure of the connection.
 * @param upstream The address of the upstream, for the message.
 * @param timeout In milliseconds.
 */
export const describeFailure = (error: unknown, upstream: string, timeout: number): UpstreamFailure => {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof UpstreamTimeout || code === 'ERR_UPSTREAM_UPGRADE_TIMEOUT')
    return {
      problem: 'upstream-timeout',
      detail: `${upstream} did not respond within ${timeout / 1000} s. --upstream-timeout allows more.`,
    }
  const reason = [code, message].filter(Boolean).join(': ')
  if (untrusted.test(code))
    return {
      problem: 'upstream-unreachable',
      detail: `${upstream} has a certificate that is not trusted (${reason}). NODE_EXTRA_CA_CERTS names a file with more.`,
    }
  return unreachable.includes(code)
    ? { problem: 'upstream-unreachable', detail: `${upstream} cannot be reached (${reason}).` }
    : { problem: 'upstream-broken', detail: `${upstream} closed the connection (${reason}).` }
}

const untrusted = /^(?:CERT|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']

/**
 * Parses the base URL of an upstream.
 * @throws PlantMockError for anything but an HTTP URL without credentials, query and fragment.
 */
export const parseTarget = (url: string | URL): URL => {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new PlantMockError(`Invalid upstream "${withoutUserInfo(url)}". Write it as https://api.example.com.`)
  if (target.username !== '' || target.password !== '')
    throw new PlantMockError('The URL of the upstream must not contain a user name or password.')
  if (target.search !== '' || target.hash !== '')
    throw new PlantMockError('The URL of the upstream must end with its path, without query and fragment.')
  return target
}

/** The upstream in messages. */
export const targetName = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`
