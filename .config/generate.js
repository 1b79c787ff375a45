// Writes the files that derive from others: `npm run generate`. Vite loads the TypeScript sources, so no build is needed.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const { module } = await runnerImport(`${root}.config/generated.ts`, { root, configFile: false })
for (const { file, content } of module.generatedFiles) {
  if (readFileSync(`${root}${file}`, 'utf8') === content) continue
  writeFileSync(`${root}${file}`, content)
  console.log(`Generated ${file}`)
}
