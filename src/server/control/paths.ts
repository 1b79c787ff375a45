import type { Assumptions } from '../../core/assumptions/registry.ts'
import { curlCommand } from '../../core/http/curl.ts'
import { PlantMockError } from '../../util/errors.ts'

/** node:http has the names of headers in lower case. */
export const keyHeader = 'plant-mock-control-key'

/** A key must be valid in a header, and too long to guess. */
export const isControlKey = (text: string): boolean => /^[\x21-\x7E]{8,}$/.test(text)

/** Messages never repeat the key, which is a secret. */
export const controlKeyRule = 'must have at least 8 printable ASCII characters and no spaces'

/** An empty key would protect nothing. @throws PlantMockError for an invalid key. */
export const checkControlKey = (key: string | undefined, label: string): string | undefined => {
  if (key === undefined || (typeof key === 'string' && isControlKey(key))) return key
  throw new PlantMockError(`${label} ${controlKeyRule}. Omit it to run without a key.`)
}

/** With known tokens only, the command uses a variable, because a screen must show no real token. */
export const firstCommand = (base: string, inForce: Assumptions, caller?: string): string =>
  curlCommand({
    url: `${base}/plants?limit=3`,
    authorization: `Bearer ${caller ?? (inForce['auth.tokens'] === 'any' ? 'alice' : '$TOKEN')}`,
  })

export const dashboardOff = 'off, because other machines can reach this address; enable it with --control-key'

/** Removes a trailing `/`. @throws PlantMockError for an invalid path. */
export const checkBasePath = (basePath: string, label: string): string => {
  const path = basePath.replace(/\/+$/, '')
  // Clients resolve segments such as `..` before they send a request.
  if (/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/.test(path)) return path
  throw new PlantMockError(`${label} must be a path such as /api/v1, not ${JSON.stringify(basePath)}.`)
}
