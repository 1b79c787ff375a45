import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export const collectGarbage = async (): Promise<void> => {
  // A weak reference that was created in this turn survives until the next turn.
  await new Promise(setImmediate)
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}
