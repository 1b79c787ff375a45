/** Lets shadows read the random numbers that the next call will draw. */
export const lookahead = (source: () => number) => {
  let ahead: number[] = []
  let drawn = 0
  const at = (position: number): number => {
    while (ahead.length <= position) ahead.push(source())
    return ahead[position] as number
  }
  return {
    next: () => at(drawn++),
    /** The numbers from now on, without drawing them. */
    view() {
      let position = 0
      return () => at(position++)
    },
    /** Forgets the numbers that were drawn. */
    commit() {
      ahead = ahead.slice(drawn)
      drawn = 0
    },
    restart() {
      ahead = []
      drawn = 0
    },
  }
}
