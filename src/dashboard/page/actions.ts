import { messageOf } from '../../util/words.ts'

type Load = () => Promise<void>
export type Say = (text: string) => void
/** Runs an action, shows `done` or the message of its error, and reloads the view. */
export type RunAction = (done: string, action: () => Promise<unknown>) => Promise<void>

export const actionRunner =
  (say: Say, load: Load): RunAction =>
  async (done, action) => {
    try {
      await action()
      say(done)
    } catch (error) {
      say(messageOf(error))
    }
    await load()
  }

const throttleInterval = 300

/** Loads at most once in 300 ms, and once more after the last call, because requests come in bursts. */
export const throttled = (load: Load): (() => void) => {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      void load()
    }, throttleInterval)
  }
}
