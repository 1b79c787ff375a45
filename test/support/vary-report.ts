type Test = { readonly name: string; readonly file: string; readonly line?: number; readonly message?: string }

export type VaryReport = {
  readonly runs: number
  readonly broken: readonly {
    readonly assume: Readonly<Record<string, unknown>>
    readonly tests: readonly Test[]
    readonly outcome?: string
    readonly output?: string
    readonly relies: string
  }[]
  readonly flaky: readonly Test[]
  readonly passed: readonly string[]
  readonly notExercised: readonly string[]
  readonly fixed: readonly string[]
}

export const parseVaryReport = ({ out, error }: { readonly out: string; readonly error: string }): VaryReport => {
  if (out === '') throw new Error(error)
  return JSON.parse(out) as VaryReport
}

export const causesIn = ({ broken }: VaryReport): readonly string[] =>
  broken
    .map(({ assume, tests }) => {
      const set = Object.entries(assume).map(([id, value]) => `${id}=${value}`)
      return `${set.join(' ')}: ${tests.map(({ name }) => name).join(', ')}`
    })
    .toSorted()
