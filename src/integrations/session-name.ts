/** A session id has at most 200 characters; this many are for the title. */
const maxTitleLength = 180

/**
 * The session id of a test: its title, to find it among others, and a suffix that makes it unique. A header carries
 * it, so characters outside printable ASCII become `?`.
 */
export const sessionName = (title: string, suffix: string): string => {
  const ascii = title.replaceAll(/[^\x20-\x7E]/gu, '?').trim()
  return `${ascii.slice(0, maxTitleLength)} ${suffix}`.trim()
}
