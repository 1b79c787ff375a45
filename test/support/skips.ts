/** The summary of a test run prints the reasons for skipping (`.config/skip-reasons.ts`). */
export const skipsUnless = (isMet: boolean, need: string): boolean => {
  if (!isMet) console.info(`Skipped: tests that need ${need}`)
  return !isMet
}

export const skipsUnlessLinux = (): boolean => skipsUnless(process.platform === 'linux', 'Linux')

export const skipsOnWindows = (): boolean => skipsUnless(process.platform !== 'win32', 'permissions of POSIX')
