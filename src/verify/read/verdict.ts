import { shorten } from '../../util/text.ts'
import { isTokenRefused, isTransient, succeeded, type TestResponse } from './response.ts'

export type RuleVerdict =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** `curl` repeats the request that showed the failure, with `$TOKEN` for the token. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly curl: string }
  /** The service breaks no rule, but lacks a behaviour that users expect beyond the contract. */
  | { readonly outcome: 'advised'; readonly reason: string; readonly curl: string }

export const passed: RuleVerdict = { outcome: 'passed' }
export const skipped = (reason: string): RuleVerdict => ({ outcome: 'skipped', reason })
export const failed = ({ curl }: Pick<TestResponse, 'curl'>, reason: string): RuleVerdict => ({
  outcome: 'failed',
  reason,
  curl: curl(),
})
export const isNoVerdict = (response: TestResponse): boolean =>
  (response.status < 400 && !succeeded(response)) ||
  response.status === 408 ||
  isTransient(response) ||
  isTokenRefused(response)
export const passedIfOk = (response: TestResponse): RuleVerdict => {
  if (succeeded(response)) return passed
  return isNoVerdict(response) ? skipped(describe(response)) : failed(response, describe(response))
}

export const excerpt = (text: string): string => (text === '' ? 'empty' : shorten(text, 80))

export const describe = ({ status, headers, text, isDisguised = false }: TestResponse): string => {
  if (isDisguised) return `it responds with ${status} to what seems to be an error: ${excerpt(text)}`
  return status >= 300 && status < 400
    ? `it redirects (${status}) to ${headers.get('location') ?? 'nowhere'}, which is not followed`
    : `it responds with ${status}: ${excerpt(text)}`
}
