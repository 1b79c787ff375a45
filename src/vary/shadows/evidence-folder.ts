/** The environment variable that names the folder in which a test suite and its mocks leave evidence. */
export const evidenceVariable = 'PLANT_MOCK_EVIDENCE'

/** In the folder: the alternatives to look for, as JSON: `[["list.order","newest"], …]`. */
export const alternativesFile = 'alternatives.json'
