// For commonjs.test.ts: requires and imports the package with the variable of `plant-mock vary`, and prints how often
// the file of the evidence was opened.
const fs = require('node:fs')

let count = 0
const { openSync } = fs
fs.openSync = (file, ...rest) => {
  if (String(file).endsWith('.ndjson')) count++
  return openSync(file, ...rest)
}

const exchange = ({ createPlantMock, bearer }) => createPlantMock().fetch('/plants', { headers: bearer('alice') })

const run = async () => {
  await exchange(require('plant-mock'))
  await exchange(await import('plant-mock'))
  console.log(count)
}
run()
