import Module from 'node:module'
import { type EventLog, guarded } from '../recorder.ts'

export type LoadedModule = { exports: unknown }

export type ModulePatch = {
  /** Matches the path, with `/` as the separator. */
  readonly path: RegExp
  readonly patch: (module: LoadedModule) => void
}

type Extensions = Record<string, (module: LoadedModule, file: string) => void>

/** Calls a patch when a CommonJS module with that path is first loaded in this process. */
export const patchModules = (patches: readonly ModulePatch[]): void => {
  const extensions = (Module as unknown as { _extensions: Extensions })._extensions
  const load = extensions['.js']
  if (load === undefined) return
  extensions['.js'] = function (this: unknown, module, file) {
    load.call(this, module, file)
    const path = file.replaceAll('\\', '/')
    for (const patch of patches) if (patch.path.test(path)) guarded(() => patch.patch(module))
  }
}

/** A package in a folder `node_modules`. */
export type ProgramPackage = {
  readonly name: string
  /** Whether the package provides the program as a command. */
  readonly isCommand: boolean
}

export type SuiteProcess = {
  /** The path of the program, with symbolic links resolved and `/` as the separator; empty for `node -e`. */
  readonly script: string
  readonly package: ProgramPackage | undefined
  /** The first 64 KiB of the program. */
  readonly text: () => string
  readonly isMainThread: () => boolean
  readonly log: EventLog
  /** The path of another file of the preload. */
  readonly fileOf: (name: string) => string
}

/** How the tests of one runner are observed. */
export type Runner = {
  /** Observes the process if it belongs to this runner. Called once, before the program and after `patches`. */
  readonly observe?: (process: SuiteProcess) => void
  /** Changes CommonJS modules of the runner when they are loaded. */
  readonly patches?: (process: SuiteProcess) => readonly ModulePatch[]
}
