import type { TestResponse } from './send-request.ts'

/**
 * The pause before a retry, in milliseconds: `Retry-After` is a number of seconds, also with decimals, or a date
 * (RFC 9110, 10.2.3); without it, 1, 2 and 4 seconds. A date is read against that of the response, because the clock of
 * the service may differ from ours.
 */
export const retryWait = ({ headers }: TestResponse, retries: number, now: number): number => {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text)) * 1000
  // Each form of an HTTP date begins with the day of the week; `Date.parse` takes almost any text.
  const date = /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN
  const sent = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? 1000 * 2 ** retries : Math.max(0, date - (Number.isNaN(sent) ? now : sent))
}
