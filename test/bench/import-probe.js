/**
 * Imports the modules of its arguments in order and prints the milliseconds of each as JSON. An empty module follows
 * each import, so that the tasks which the import leaves behind (several ms for msw) count for it, not for the next.
 */
/** @param {string} specifier */
const timeImport = async (specifier) => {
  const began = performance.now()
  await import(specifier)
  await import(`./empty.js?after=${encodeURIComponent(specifier)}`)
  return performance.now() - began
}

// The first import of a process pays for the module loader.
await timeImport('./empty.js?first')
const overhead = await timeImport('./empty.js?second')
const milliseconds = []
for (const specifier of process.argv.slice(2)) milliseconds.push((await timeImport(specifier)) - overhead)
console.log(JSON.stringify(milliseconds))
