/** A kind of run: `run` matches the characters with which the shortest one begins, `end` a single character after it. */
export type RunOf = {
  readonly run: RegExp
  readonly end: RegExp
}

/**
 * Finds the maximal runs of characters that have a minimum length. A regular expression with an open quantifier would
 * keep a position for each character and overflow its stack in a run of some MiB; these match a bounded number each.
 */
export function* longRuns(
  text: string,
  { run, end }: RunOf,
): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = find(text, 0, run); start !== -1; ) {
    const after = endOfRun(text, start, end)
    yield { start, end: after }
    start = find(text, after, run)
  }
}

/** Where a run ends that begins at `start`. @param end Matches a character that is not part of it; global. */
export const endOfRun = (text: string, start: number, end: RegExp): number => {
  const index = find(text, start, end)
  return index === -1 ? text.length : index
}

const find = (text: string, from: number, pattern: RegExp): number => {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}
