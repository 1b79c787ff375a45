/** The environment variable that names the folder in which a test suite and its mocks leave evidence. */
export const evidenceVariable = 'PLANT_MOCK_EVIDENCE'
