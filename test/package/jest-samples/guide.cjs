// For .ci/consumers: writes the code blocks of the guide for Jest as files. Usage: node guide.js FOLDER
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const guide = readFileSync(join(__dirname, '../../../src/integrations/README.md'), 'utf8')
const [, section = ''] = /^## Jest\n([\s\S]*?)^## /m.exec(guide) ?? []
for (const [, name, code] of section.matchAll(/^```js\n\/\/ ([\w.-]+)\n([\s\S]*?)^```$/gm))
  writeFileSync(join(process.argv[2], name), code)
