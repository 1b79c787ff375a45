/** Nothing that is meant is nested so deep, and what walks through it by calling itself still has room. */
const deepest = 500

/** Whether JSON text is nested deeper: it can be read, but `JSON.stringify` then runs out of stack. */
export const isTooDeep = (json: string): boolean => {
  if (json.length <= 2 * deepest) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]
    if (sign === '"') at = endOfString(json, at)
    else if (sign === '[' || sign === '{') {
      if (++depth > deepest) return true
    } else if (sign === ']' || sign === '}') depth--
  }
  return false
}

const endOfString = (json: string, start: number): number => {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '"') return at
    if (json[at] === '\\') at++
  }
  return json.length
}
