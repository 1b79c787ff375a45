import type { Assumptions } from '../../core/assumptions/registry.ts'
import { curlCommand } from '../../core/http/curl.ts'
import { PlantMockError } from '../../util/errors.ts'

export const keyHeader = 'plant-mock-control-key'

export const isControlKey = (text: string): boolean => /^[\x21-\x7E]{8,}$/.test(text)

export const controlKeyRule = 'must have at least 8 printable ASCII characters and no spaces'

export const checkControlKey = (key: string | undefined, label: string): string | undefined => {
  if (key === undefined || (typeof key === 'string' && isControlKey(key))) return key
  throw new PlantMockError(`${label} ${controlKeyRule}. Omit it to run without a key.`)
}

/** Shows `$TOKEN` instead of a configured token, because the command appears on screen. */
export const firstCommand = (base: string, inForce: Assumptions, caller?: string): string =>
  curlCommand({
    url: `${base}/plants?limit=3`,
    authorization: `Bearer ${caller ?? (inForce['auth.tokens'] === 'any' ? 'alice' : '$TOKEN')}`,
  })

export const dashboardOff = 'off, because other machines can reach this address; enable it with --control-key'

export const checkBasePath = (basePath: string, label: string): string => {
  const path = basePath.replace(/\/+$/, '')
  // Refuses the segments `.` and `..`, which clients remove from a URL before they send a request.
  if (/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/.test(path)) return path
  throw new PlantMockError(`${label} must be a path such as /api/v1, not ${JSON.stringify(basePath)}.`)
}
