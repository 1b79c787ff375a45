import { type CommandName, commandNamed, commands } from '../../../core/mock/commands.ts'
import type { RouteTable } from '../route.ts'
import type { SchemaName } from '../shapes.ts'

/** The routes that run a command of a mock instance, as its row says. */
export const commandRoutes: RouteTable = Object.fromEntries(
  (Object.keys(commands) as CommandName[]).flatMap((name) => {
    const { route } = commandNamed(name)
    // A variant of another command's route.
    if (route === undefined || route.at.includes('?')) return []
    const { at, summary, body: schema, response, result, parse = (body) => body } = route
    const row: RouteTable[keyof RouteTable] = {
      summary,
      ...(schema !== undefined && { body: schema as SchemaName }),
      ...(response !== undefined && { response: response as SchemaName }),
      run: async ({ instance, parameter, body }) => {
        // What a client sends to a route without a body is no argument.
        const argument = at.includes('{') ? parameter : parse(schema === undefined ? undefined : body)
        const value = await instance.run(name, argument as never)
        return result === undefined ? value : { [result]: value }
      },
    }
    return [[at, row]]
  }),
)

/** A route of a command that the control interface runs in a way of its own. */
export const ownRoute = (at: keyof RouteTable, own: Partial<RouteTable[keyof RouteTable]>): RouteTable => {
  const route = commandRoutes[at]
  if (route === undefined) throw new Error(`No command has the route ${at}.`)
  return { [at]: { ...route, ...own } }
}
