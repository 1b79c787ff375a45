import { resolve } from 'node:path'
import type { Respond } from '../server/start/handlers-first.ts'
import { loadHandlers } from '../server/start/load-handlers.ts'

/** The handlers of a module, which can be reloaded. */
export type Handlers = {
  readonly file: string
  readonly respond: Respond
  /** Reloads the module. When that fails, the previous handlers stay in use, and the promise is rejected. */
  readonly reload: () => Promise<void>
}

/** @throws PlantMockError when the module cannot be loaded, or exports no handlers. */
export const openHandlers = async (file: string): Promise<Handlers> => {
  let respond = await loadHandlers(file)
  return {
    file: resolve(file),
    respond: (request) => respond(request),
    reload: async () => {
      respond = await loadHandlers(file)
    },
  }
}
