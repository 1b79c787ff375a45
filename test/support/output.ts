export const collectOutput = () => {
  const text = { out: '', error: '' }
  const waiting = new Set<() => void>()
  const collect = (stream: keyof typeof text) => (chunk: string | Buffer) => {
    text[stream] += chunk
    for (const check of waiting) check()
  }
  const printed = (pattern: RegExp, finished: Promise<unknown>): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(text.out) ?? pattern.exec(text.error)
        if (match === null) return
        waiting.delete(check)
        resolve(match)
      }
      waiting.add(check)
      check()
      finished.then(() => reject(new Error(`ended before it printed ${pattern}:\n${text.out}\n${text.error}`)))
    })
  return { text, collect, printed }
}
