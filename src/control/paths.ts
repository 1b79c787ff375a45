/** Below this, the mock is asked about itself; everything else is the service's. */
export const controlPath = '/__plant-mock'

/** The header that carries the control key, in the spelling of node:http. */
export const keyHeader = 'plant-mock-control-key'
