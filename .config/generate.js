// Writes what is derived from other files: `npm run generate`. A test fails while any of it is stale.
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)

/** A module with the text of contract.md, so that the browser and the bundle have it without a file system. */
export const contractModule = (contract) =>
  `// Generated from contract.md by "npm run generate".\nexport const contractText = ${JSON.stringify(contract)}\n`

const contract = readFileSync(new URL('src/contract/contract.md', root), 'utf8')
writeFileSync(new URL('src/contract/contract-text.ts', root), contractModule(contract))
