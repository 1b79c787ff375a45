/** As much of a title as goes into a session's id, which may have 200 characters. */
const longestTitle = 180

/**
 * The id of a test's session: its title, so that people find it among others, and what makes it unique. A header
 * has to carry it, so characters outside ASCII give way to `?`.
 */
export const sessionName = (title: string, unique: string): string => {
  const plain = title.replaceAll(/[^\x20-\x7E]/gu, '?').trim()
  return `${plain.slice(0, longestTitle)} ${unique}`.trim()
}
