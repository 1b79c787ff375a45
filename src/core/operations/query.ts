/** The names of the query parameters, each once. */
export const queryNames = (query: string): readonly string[] => [...new Set(new URLSearchParams(query).keys())]
