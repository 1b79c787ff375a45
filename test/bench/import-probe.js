/**
 * Imports the modules it is given, one after the other, and prints how long each took in milliseconds, as JSON.
 * An empty module goes first: what the first import of a process costs belongs to none of them.
 */
await import(`data:text/javascript,`)
const milliseconds = []
for (const specifier of process.argv.slice(2)) {
  const began = performance.now()
  await import(specifier)
  milliseconds.push(performance.now() - began)
}
console.log(JSON.stringify(milliseconds))
