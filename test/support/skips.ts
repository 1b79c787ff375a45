/**
 * Whether to skip tests for a reason, which the summary of the run prints (`.config/skip-reasons.ts`).
 * @param isMet Whether this machine has what the tests need.
 * @param need What they need, and how to get it.
 */
export const skipsUnless = (isMet: boolean, need: string): boolean => {
  if (!isMet) console.info(`Skipped: tests that need ${need}`)
  return !isMet
}

export const skipsUnlessLinux = (): boolean => skipsUnless(process.platform === 'linux', 'Linux')

export const skipsOnWindows = (): boolean => skipsUnless(process.platform !== 'win32', 'permissions of POSIX')
