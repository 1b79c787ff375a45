import { AsyncLocalStorage } from 'node:async_hooks'
import { setupServer } from 'msw/node'
import { unhandled } from '../adapters/msw.ts'

export type MswServer = ReturnType<typeof setupServer>
export type Handlers = Parameters<typeof setupServer>

/**
 * The network of a process as its tests see it: one server of msw for all of them, in which each test has handlers
 * of its own, tests that run at the same time too (`server.boundary`).
 */
export const createNetwork = <Key extends object>() => {
  const server = setupServer()
  const inside = new AsyncLocalStorage<Key>()
  const handlersOf = new WeakMap<Key, Handlers>()
  let users = 0

  const install = (key: Key): void => {
    const handlers = handlersOf.get(key)
    if (handlers !== undefined && inside.getStore() === key) server.resetHandlers(...handlers)
  }

  return {
    server,
    /** Listens from the first `open` until each has been closed again by its result; msw 3 refuses to listen twice. */
    open(): () => void {
      if (users++ === 0) server.listen(unhandled('bypass'))
      return () => {
        if (--users === 0) server.close()
      }
    },
    /** Gives the test its handlers, at once when it runs inside its boundary, or else as soon as it does. */
    handle(key: Key, handlers: Handlers): void {
      handlersOf.set(key, handlers)
      install(key)
    },
    /** Runs a test inside its boundary. Inside of that, a second call does no more. */
    async within(key: Key, run: () => Promise<void>): Promise<void> {
      if (inside.getStore() === key) return run()
      const bounded = server.boundary(() => {
        install(key)
        return run()
      })
      try {
        await inside.run(key, bounded)
      } finally {
        handlersOf.delete(key)
      }
    },
  }
}
