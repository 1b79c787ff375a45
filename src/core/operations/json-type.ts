import type { Assumptions } from '../assumptions/registry.ts'

/** The Content-Type of JSON responses. */
export const jsonTypeOf = (assumptions: Pick<Assumptions, 'json.contentType'>): string => {
  const value = assumptions['json.contentType']
  if (value === 'bare') return 'application/json'
  return value === 'charset' ? 'application/json; charset=utf-8' : value
}
