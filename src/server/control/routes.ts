import type { Route, RouteTable } from './route.ts'
import { assumptionRoutes } from './routes/assumptions.ts'
import { commandRoutes } from './routes/commands.ts'
import { instanceRoutes } from './routes/instance.ts'
import { interfaceRoutes } from './routes/interface.ts'
import { plantRoutes } from './routes/plants.ts'
import { requestRoutes } from './routes/requests.ts'

/**
 * Every route of the control interface. Dispatch, OpenAPI document, index and guide derive from this table, area by area.
 */
const table: RouteTable = {
  ...interfaceRoutes(() => routes),
  ...commandRoutes,
  ...instanceRoutes,
  ...plantRoutes,
  ...requestRoutes,
  ...assumptionRoutes,
}

const areaOf = (path: string): string => path.split('/')[1] ?? ''
const areas = [...new Set(Object.keys(table).map((key) => areaOf(key)))]

export const routes: readonly Route[] = Object.entries(table)
  .map(([key, row]): Route => {
    const [method, path = ''] = key.split(' ')
    return { method: method as Route['method'], path, ...row }
  })
  // Routes of commands stand beside the other routes of their area.
  .sort((a, b) => areas.indexOf(areaOf(a.path)) - areas.indexOf(areaOf(b.path)))

/** The routes as a Markdown list, for the guide of the control interface. */
export const routeList = (): string =>
  `\n${routes.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}\n`).join('')}\n`
