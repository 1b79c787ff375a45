import { benchFile, startOnFreePort, startWithUrl } from './server.js'

/** @import { Workspace } from './workspace.js' */

/** The built command line program. */
export const programFile = benchFile('../../dist/bin.js')

/**
 * Starts plant-mock, by default with the garden fixtures. With `log` it prints each request to /dev/null.
 * @param {Workspace} workspace
 * @param {{ fixtures?: string, log?: boolean, pin?: boolean }} [options]
 */
export const startPlantMock = (workspace, { fixtures = 'garden', log = false, pin = false } = {}) => {
  const args = [programFile, '--fixtures', fixtures]
  return log
    ? startOnFreePort(workspace, (port) => [...args, '--port', String(port)], pin)
    : startWithUrl(workspace, [...args, '--port', '0', '--quiet'], pin)
}
