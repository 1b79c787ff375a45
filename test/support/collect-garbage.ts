import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Clears the weak references to objects that nothing else holds. */
export const collectGarbage = async (): Promise<void> => {
  // A weak reference is cleared in a later turn than the one that made it.
  await new Promise(setImmediate)
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}
