import { benchFile, startOnFreePort, startWithUrl } from './server.js'

/** @import { StartOptions } from './server.js' */
/** @import { Workspace } from './workspace.js' */

/** The built command line program. */
export const programFile = benchFile('../../dist/bin.js')

/**
 * Starts plant-mock, by default with the garden fixtures. With `log` it prints each request to /dev/null.
 * @param {Workspace} workspace
 * @param {{ fixtures?: string, log?: boolean, args?: readonly string[] } & StartOptions} [options] `args` are further arguments.
 */
export const startPlantMock = (workspace, { fixtures = 'garden', log = false, args: more = [], ...options } = {}) => {
  const args = [programFile, '--fixtures', fixtures, ...more]
  return log
    ? startOnFreePort(workspace, (port) => [...args, '--port', String(port)], options)
    : startWithUrl(workspace, [...args, '--port', '0', '--quiet'], options)
}
