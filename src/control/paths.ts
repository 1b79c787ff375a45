/** Below this, the mock is asked about itself; everything else is the service's. */
export const controlPath = '/__plant-mock'

/** What follows that in a path: `/` for the place itself, `undefined` for a path that is elsewhere. */
export const belowControl = (path: string): string | undefined => {
  if (path === controlPath) return '/'
  return path.startsWith(`${controlPath}/`) ? path.slice(controlPath.length) : undefined
}

/** The header that carries the control key, in the spelling of node:http. */
export const keyHeader = 'plant-mock-control-key'
