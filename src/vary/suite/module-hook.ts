import Module from 'node:module'
import { guarded } from './recorder.ts'

/** A CommonJS module once it is loaded. */
export type LoadedModule = { exports: unknown }

export type ModulePatch = {
  /** Of the path, with `/` as the separator. */
  readonly path: RegExp
  readonly patch: (module: LoadedModule) => void
}

type Extensions = Record<string, (module: LoadedModule, file: string) => void>

/** Calls a patch after a CommonJS module of that path was loaded, for the first time in this process. */
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
