/** Numbers equal names within a file, in the order in which they come: `a`, `a (2)`, `a (3)`. */
export const uniqueNames = (): ((file: string, name: string) => string) => {
  const taken = new Set<string>()
  const key = (file: string, name: string) => `${file}\0${name}`
  return (file, name) => {
    let unique = name
    for (let count = 2; taken.has(key(file, unique)); count++) unique = `${name} (${count})`
    taken.add(key(file, unique))
    return unique
  }
}
