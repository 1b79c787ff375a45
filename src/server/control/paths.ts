import type { Assumptions } from '../../core/assumptions/registry.ts'
import { curlCommand } from '../../core/http/curl.ts'
import { PlantMockError } from '../../util/errors.ts'

export const keyHeader = 'plant-mock-control-key'

/** Requires characters that a header allows, and a length that prevents guessing. */
export const isControlKey = (text: string): boolean => /^[\x21-\x7E]{8,}$/.test(text)

/** Messages state this rule and never repeat the key, because the key is a secret. */
export const controlKeyRule = 'must have at least 8 printable ASCII characters and no spaces'

/** @throws PlantMockError for an invalid key. An empty key is invalid, because it would protect nothing. */
export const checkControlKey = (key: string | undefined, label: string): string | undefined => {
  if (key === undefined || (typeof key === 'string' && isControlKey(key))) return key
  throw new PlantMockError(`${label} ${controlKeyRule}. Omit it to run without a key.`)
}

/** Uses the variable `$TOKEN` when the mock knows its tokens, because a screen must not show a real token. */
export const firstCommand = (base: string, inForce: Assumptions, caller?: string): string =>
  curlCommand({
    url: `${base}/plants?limit=3`,
    authorization: `Bearer ${caller ?? (inForce['auth.tokens'] === 'any' ? 'alice' : '$TOKEN')}`,
  })

export const dashboardOff = 'off, because other machines can reach this address; enable it with --control-key'

/** Removes a trailing `/`. @throws PlantMockError for an invalid path. */
export const checkBasePath = (basePath: string, label: string): string => {
  const path = basePath.replace(/\/+$/, '')
  // Rejects `.` and `..`: clients resolve these segments before they send a request, so no request would match.
  if (/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/.test(path)) return path
  throw new PlantMockError(`${label} must be a path such as /api/v1, not ${JSON.stringify(basePath)}.`)
}
