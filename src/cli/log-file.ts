import { openSync, writeFileSync } from 'node:fs'
import { PlantMockError } from '../util/errors.ts'
import { messageOf } from '../util/words.ts'
import { buffered } from './buffered.ts'

/**
 * Opens the file of `--log`, and truncates it.
 * @param onError Receives the error that ends the log, once; the server continues, as with a lost standard output.
 * @returns Appends text to the file. Text that was not written yet is written at the exit of the process.
 * @throws PlantMockError when the file cannot be written.
 */
export const openLogFile = (file: string, onError: (text: string) => void): ((text: string) => void) => {
  const descriptor = openForWriting(file)
  let isLost = false
  const { out, flush } = buffered((text) => {
    if (isLost) return
    try {
      writeFileSync(descriptor, text)
    } catch (error) {
      isLost = true
      onError(`The log cannot be written, and is lost: ${messageOf(error)}.`)
    }
  })
  process.once('exit', flush)
  return out
}

const openForWriting = (file: string): number => {
  try {
    return openSync(file, 'w')
  } catch (error) {
    throw new PlantMockError(`--log cannot write ${file}: ${messageOf(error)}.`)
  }
}
