// For .ci/consumers: writes the code blocks of the guide for Jest as files. Usage: node guide.js FOLDER
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const guide = readFileSync(join(__dirname, '../../../src/guides/jest.md'), 'utf8')
for (const [, name, code] of guide.matchAll(/^```js\n\/\/ ([\w.-]+)\n([\s\S]*?)^```$/gm))
  writeFileSync(join(process.argv[2], name), code)
