export const seededRandom = (seed: number): (() => number) => randomSource(seed).next

export const randomSource = (seed: number) => {
  const source = {
    state: seed | 0,
    next(): number {
      const state = (source.state + 0x6d2b79f5) | 0
      source.state = state
      let t = Math.imul(state ^ (state >>> 15), 1 | state)
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
      return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
    },
  }
  return source
}
