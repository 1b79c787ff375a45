import Module from 'node:module'
import { type EventLog, guarded } from '../recorder.ts'

export type LoadedModule = { exports: unknown }

export type ModulePatch = {
  readonly path: RegExp
  readonly patch: (module: LoadedModule) => void
}

type Extensions = Record<string, (module: LoadedModule, file: string) => void>

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

export type ProgramPackage = {
  readonly name: string
  readonly isCommand: boolean
}

export type SuiteProcess = {
  readonly script: string
  readonly package: ProgramPackage | undefined
  readonly text: () => string
  readonly isMainThread: () => boolean
  readonly log: EventLog
  readonly builtFile: (name: string) => string
}

export type Runner = {
  readonly observe?: (process: SuiteProcess) => void
  readonly patches?: (process: SuiteProcess) => readonly ModulePatch[]
}
