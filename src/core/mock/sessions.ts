import { PlantMockError } from '../../util/errors.ts'
import type { LocalInstance } from './instance.ts'

export const sessionHeader = 'plant-mock-session'

const maxSessionId = 200

/** Accepts ids that are valid in a header (RFC 9110, 5.5) and in a URL path. */
export const isSessionId = (id: unknown): id is string =>
  typeof id === 'string' &&
  id.length <= maxSessionId &&
  /^(?!\.{1,2}$)[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(id)

export const checkSessionId = (id: string): void => {
  if (isSessionId(id)) return
  throw new PlantMockError(
    `Invalid session id. Use 1 to ${maxSessionId} ASCII characters, without spaces at the ends, other than . and ..`,
  )
}

export const sessionTable = (max: number, onNotice: (text: string) => void) => {
  const instances = new Map<string, LocalInstance>()
  const listeners = new Set<() => void>()
  let hasNotified = false

  const changed = (): void => {
    for (const listener of listeners) listener()
  }

  const drop = (id: string): boolean => {
    const instance = instances.get(id)
    if (instance === undefined) return false
    instance.close()
    instances.delete(id)
    changed()
    return true
  }

  const use = (id: string): LocalInstance | undefined => {
    const instance = instances.get(id)
    if (instance !== undefined) {
      instances.delete(id)
      instances.set(id, instance)
    }
    return instance
  }

  const evict = (): void => {
    const ids = [...instances.keys()]
    const oldest = ids.find((id) => instances.get(id)?.events.hasListeners === false) ?? ids[0]
    if (oldest === undefined) return
    drop(oldest)
    if (!hasNotified)
      onNotice(`dropped session ${oldest}, the least recently used of ${max} sessions; later drops print no notice`)
    hasNotified = true
  }

  return {
    get size(): number {
      return instances.size
    },
    entries: (): readonly (readonly [id: string, instance: LocalInstance])[] => [...instances],
    peek: (id: string) => instances.get(id),
    use,
    add(id: string, create: () => LocalInstance): LocalInstance {
      if (instances.size >= max) evict()
      const instance = create()
      instances.set(id, instance)
      // Ignores use of a deleted session, because a new session may have the same id.
      instance.events.onUsed(() => {
        if (instances.get(id) === instance) use(id)
      })
      changed()
      return instance
    },
    drop,
    listen(onChange: () => void): () => void {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}
