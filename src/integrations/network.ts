import { AsyncLocalStorage } from 'node:async_hooks'
import { setupServer } from 'msw/node'
import { unhandled } from './msw.ts'

export type MswServer = ReturnType<typeof setupServer>
export type Handlers = Parameters<typeof setupServer>

/**
 * The intercepted network of a process: one msw server for all tests, in which each test has its own handlers, also when
 * tests run concurrently (`server.boundary`).
 */
export const createNetwork = <Key extends object>() => {
  const server = setupServer()
  const currentKey = new AsyncLocalStorage<Key>()
  const handlersByKey = new WeakMap<Key, Handlers>()
  let openCount = 0

  const applyHandlers = (key: Key): void => {
    const handlers = handlersByKey.get(key)
    if (handlers !== undefined && currentKey.getStore() === key) server.resetHandlers(...handlers)
  }

  return {
    server,
    /** Counts its calls, because msw 3 refuses to listen twice: the server listens until every result was called. */
    open(): () => void {
      if (openCount++ === 0) server.listen(unhandled('bypass'))
      return () => {
        if (--openCount === 0) server.close()
      }
    },
    /** Sets the handlers of a test: at once inside its boundary, or when it enters its boundary. */
    setHandlers(key: Key, handlers: Handlers): void {
      handlersByKey.set(key, handlers)
      applyHandlers(key)
    },
    /** Runs a test inside its boundary. A nested call for the same test only runs it. */
    async runInBoundary(key: Key, run: () => Promise<void>): Promise<void> {
      if (currentKey.getStore() === key) return run()
      const bounded = server.boundary(() => {
        applyHandlers(key)
        return run()
      })
      try {
        await currentKey.run(key, bounded)
      } finally {
        handlersByKey.delete(key)
      }
    },
  }
}
