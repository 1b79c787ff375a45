/** The control interface is below this path; every other path belongs to the service. */
export const controlPath = '/__plant-mock'

export const belowControl = (path: string): string | undefined => {
  if (path === controlPath) return '/'
  return path.startsWith(`${controlPath}/`) ? path.slice(controlPath.length) : undefined
}
