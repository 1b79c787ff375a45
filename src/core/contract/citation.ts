/** The sections of a citation such as `4.2, 8`. */
export const sectionsIn = (citation: string): readonly string[] => citation.match(/[^\s,]+/g) ?? []

/** The command that prints the sections of a citation. */
export const contractCommand = (citation: string): string => `npx plant-mock contract ${sectionsIn(citation).join(',')}`
