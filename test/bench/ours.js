import { fileBeside, startPrinting, startSilent } from './server.js'

/** @import { Workplace } from './workplace.js' */

/** The command line's program, as it ships. */
export const programFile = fileBeside('../../dist/bin.js')

/**
 * Starts plant-mock, by default with the shipped garden. With `log` it prints a line a request to nowhere.
 * @param {Workplace} work
 * @param {{ fixtures?: string, log?: boolean, pin?: boolean }} [options]
 */
export const startOurs = (work, { fixtures = 'garden', log = false, pin = false } = {}) => {
  const args = [programFile, '--fixtures', fixtures]
  return log
    ? startSilent(work, (port) => [...args, '--port', String(port)], pin)
    : startPrinting(work, [...args, '--port', '0', '--quiet'], pin)
}
