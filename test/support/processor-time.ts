/**
 * The processor time that this process needs for some work, in milliseconds; the least of several attempts. Unlike time
 * on a clock, it hardly depends on other work of the machine.
 */
export const processorTime = async (work: () => unknown, attempts = 3): Promise<number> => {
  const times: number[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  return Math.min(...times)
}
