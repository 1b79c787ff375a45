/** A folder with packages from npm, which consumers share. */
export type Project = {
  readonly packages: readonly string[]
  /** A folder of `test/example`, to copy first: its dependencies are installed too. */
  readonly example?: string
  /** The project whose Node.js runs npm; by default, that of this machine. */
  readonly node?: string
  /** A command that completes the folder. */
  readonly prepare?: string
}

/** Each pattern matches a line of the output, or as many lines as the number says. */
type Pattern = RegExp | readonly [RegExp, number]

export type Command =
  | string
  | {
      readonly run: string
      /** The command is meant to exit with another code than 0. */
      readonly fails?: true
      readonly contains?: readonly Pattern[]
      readonly lacks?: readonly RegExp[]
    }

/** One row of the table: what runs in a project. */
export type Consumer = {
  readonly environment: string
  /** `{msw}` becomes the version of msw in the project, `{deno:deno}` that of deno in the project deno. */
  readonly version: string
  readonly what: string
  readonly project: string
  /** A new folder in the project, to run in; by default, the project itself. */
  readonly folder?: string
  /** The folder is CommonJS. */
  readonly commonJs?: true
  /** The project whose Node.js runs the commands; by default, that of `project`. */
  readonly node?: string
  /** Other projects that the commands use. */
  readonly needs?: readonly string[]
  readonly commands: readonly Command[]
}
