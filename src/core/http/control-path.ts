/** The control interface is below this path; every other path belongs to the service. */
export const controlPath = '/__plant-mock'

/** The part of a path below `/__plant-mock`: `/` for `/__plant-mock` itself, `undefined` for a path of the service. */
export const belowControl = (path: string): string | undefined => {
  if (path === controlPath) return '/'
  return path.startsWith(`${controlPath}/`) ? path.slice(controlPath.length) : undefined
}
