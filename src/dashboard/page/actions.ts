type Load = () => Promise<void>

/** Does what a button is for, says how it went, and shows what is there then. */
export const attempting =
  (say: (text: string) => void, load: Load) =>
  async (what: string, act: () => Promise<unknown>): Promise<void> => {
    try {
      await act()
      say(what)
    } catch (error) {
      say((error as Error).message)
    }
    await load()
  }

/** Requests come in bursts: one look shows what all of them have changed. */
export const oncePerBurst = (load: Load): (() => void) => {
  let coming = false
  return () => {
    if (coming) return
    coming = true
    setTimeout(() => {
      coming = false
      void load()
    }, 300)
  }
}
