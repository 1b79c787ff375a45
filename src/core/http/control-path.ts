export const controlPath = '/__plant-mock'

export const belowControl = (path: string): string | undefined => {
  if (path === controlPath) return '/'
  return path.startsWith(`${controlPath}/`) ? path.slice(controlPath.length) : undefined
}
