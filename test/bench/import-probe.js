/**
 * Imports the modules it is given, one after the other, and prints how long each took in milliseconds, as JSON.
 * Each is followed by an empty module, which is read only when the work that an import leaves behind is done:
 * msw leaves several milliseconds of it, and the next import is not to pay for them.
 */
/** @param {string} specifier */
const timeOf = async (specifier) => {
  const began = performance.now()
  await import(specifier)
  await import(`./empty.js?after=${encodeURIComponent(specifier)}`)
  return performance.now() - began
}

// What the first import of a process costs belongs to none of them.
await timeOf('./empty.js?first')
const nothing = await timeOf('./empty.js?second')
const milliseconds = []
for (const specifier of process.argv.slice(2)) milliseconds.push((await timeOf(specifier)) - nothing)
console.log(JSON.stringify(milliseconds))
