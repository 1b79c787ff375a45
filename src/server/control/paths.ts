import type { Assumptions } from '../../core/assumptions/registry.ts'
import { PlantMockError } from '../../util/errors.ts'

/** The control interface is below this path; every other path belongs to the service. */
export const controlPath = '/__plant-mock'

/** The part of a path below `/__plant-mock`: `/` for `/__plant-mock` itself, `undefined` for a path of the service. */
export const belowControl = (path: string): string | undefined => {
  if (path === controlPath) return '/'
  return path.startsWith(`${controlPath}/`) ? path.slice(controlPath.length) : undefined
}

/** The header with the control key, in lower case as in node:http. */
export const keyHeader = 'plant-mock-control-key'

/** Whether a text can be a control key: long enough not to be guessed, and valid in a header. */
export const isControlKey = (text: string): boolean => /^[\x21-\x7E]{8,}$/.test(text)

/** The rule for error messages, which never repeat the key, because it is a secret. */
export const controlKeyRule = 'must have at least 8 printable ASCII characters and no spaces'

/**
 * An empty control key, such as `process.env.KEY ?? ''`, would protect nothing.
 * @throws PlantMockError for an invalid key.
 */
export const checkControlKey = (key: string | undefined, label: string): string | undefined => {
  if (key === undefined || (typeof key === 'string' && isControlKey(key))) return key
  throw new PlantMockError(`${label} ${controlKeyRule}. Leave it out for none.`)
}

/**
 * A POSIX shell command that lists the first plants.
 * @param base The address of the server.
 * @param inForce If only known tokens are accepted, the command uses a variable, because a real token must not appear
 * on a screen.
 * @param caller A token that is not secret.
 */
export const firstCommand = (base: string, inForce: Assumptions, caller = 'alice'): string => {
  const authorization =
    inForce['auth.tokens'] === 'any' ? `'Authorization: Bearer ${caller}'` : '"Authorization: Bearer $TOKEN"'
  return `curl -H ${authorization} '${base}/plants?limit=3'`
}

/** Shown instead of the dashboard's address. */
export const dashboardOff = 'off, because other machines can reach this address; enable it with --control-key'

/**
 * The path of a base URL such as `/api/v1`, without a trailing `/`.
 * @throws PlantMockError for an invalid path.
 */
export const checkBasePath = (basePath: string, label: string): string => {
  const path = basePath.replace(/\/+$/, '')
  // Clients resolve segments such as `..` before they send a request.
  if (/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/.test(path)) return path
  throw new PlantMockError(`${label} must be a path such as /api/v1, not ${JSON.stringify(basePath)}.`)
}
