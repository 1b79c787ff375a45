// Prints the last outcome of each test in the evidence folder: `failed sample.test.cjs:10 suite > fails`.
const { readdirSync, readFileSync } = require('node:fs')
const { basename } = require('node:path')

const outcomes = new Map()
for (const log of readdirSync(process.argv[2]))
  for (const line of readFileSync(`${process.argv[2]}/${log}`, 'utf8').trim().split('\n')) {
    const { type, outcome, file, name, line: at } = JSON.parse(line)
    if (type !== 'end') continue
    const place = outcome === 'failed' ? `:${at}` : ''
    outcomes.set(file + name, `${outcome} ${basename(file)}${place} ${name === file ? 'file' : name}`)
  }
console.log([...outcomes.values()].sort().join('\n'))
