const facadePattern = /^import \{ ([^}]+) \} from "\.\/([^"]+)";\s*export \{ ([^}]+) \};\s*$/

/**
 * perf: a module that is imported on demand from a chunk with more modules gets a file of its own, which only imports
 * from that chunk and exports. Imports on demand take the chunk itself instead, because each file costs about a
 * millisecond to find and read (`npm run bench`, cold start).
 */
export const fewerFiles = {
  name: 'fewer-files',
  generateBundle(_, bundle) {
    for (const [fileName, { type, isDynamicEntry, code }] of Object.entries(bundle)) {
      const [, imported, chunk, exported] = (type === 'chunk' && isDynamicEntry && facadePattern.exec(code)) || []
      if (imported === undefined) continue
      const names = new Map(imported.split(', ').map((item) => item.split(' as ').reverse()))
      const fields = exported.split(', ').map((name) => `${name}: chunk.${names.get(name) ?? name}`)
      const facade = fileName.split('/').at(-1)
      for (const importer of Object.values(bundle))
        importer.code = importer.code?.replaceAll(
          new RegExp(`import\\("(\\./(?:chunks/)?)${facade.replaceAll('.', '\\.')}"\\)`, 'g'),
          (_, folder) => `import("${folder}${chunk}").then((chunk) => ({ ${fields.join(', ')} }))`,
        )
      delete bundle[fileName]
    }
  },
}
