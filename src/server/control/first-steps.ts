import type { Assumptions } from '../../core/assumptions/registry.ts'

/** The address of the first plants, for a page or a terminal. */
export const firstPlants = (base: string): string => `${base}/plants?limit=3`

/**
 * A command for a POSIX shell that lists the first plants.
 * @param base The address of the server.
 * @param inForce Where only known tokens are accepted, the command has a variable instead of a token: it may be a real
 *   one, which must not appear on a screen.
 */
export const firstCommand = (base: string, inForce: Assumptions): string => {
  const authorization =
    inForce['auth.tokens'] === 'any' ? "'Authorization: Bearer alice'" : '"Authorization: Bearer $TOKEN"'
  return `curl -H ${authorization} '${firstPlants(base)}'`
}

/** Shown instead of the address of the dashboard. */
export const dashboardOff = 'off, because other machines can reach this address; enable it with --control-key'
