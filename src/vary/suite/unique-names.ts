/** Numbers equal names within a file, in the order in which they come: `a`, `a (2)`, `a (3)`. */
export const uniqueNames = (): ((file: string, name: string) => string) => {
  /** The last number that each name got. */
  const counts = new Map<string, number>()
  const key = (file: string, name: string) => `${file}\0${name}`
  return (file, name) => {
    let count = counts.get(key(file, name)) ?? 0
    let unique = name
    while (counts.has(key(file, unique))) unique = `${name} (${++count + 1})`
    counts.set(key(file, name), count)
    if (unique !== name) counts.set(key(file, unique), 0)
    return unique
  }
}
