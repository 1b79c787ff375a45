import { observerVariable } from '../../core/mock/observer.ts'
import { packageFile } from '../../server/files/package-folder.ts'
import { evidenceVariable, insideTestsVariable } from '../evidence/test-process.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const preload = packageFile('dist', 'vary', 'preload.cjs')
const observer = packageFile('dist', 'vary', 'observer.cjs')

/** @param folder The absolute path of an existing folder, where mocks and runners write their evidence. */
export const suiteEnvironment = (base: Environment, folder: string): Record<string, string | undefined> => {
  const options = [base.NODE_OPTIONS?.trim(), preload && `--require=${quoted(preload)}`].filter(Boolean).join(' ')
  return {
    ...base,
    ...(options !== '' && { NODE_OPTIONS: options }),
    [evidenceVariable]: folder,
    [observerVariable]: observer,
    // Set by a test for the processes that it starts: they record nothing.
    [insideTestsVariable]: undefined,
    // If set, node:test treats the command as one of its test files.
    NODE_TEST_CONTEXT: undefined,
    // plant-mock writes one summary at the end; runners would append one for each run.
    GITHUB_STEP_SUMMARY: undefined,
  }
}

/** `NODE_OPTIONS` are separated by spaces. Within quotes, a backslash escapes the next character. */
const quoted = (path: string): string =>
  /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, (character) => `\\${character}`)}"` : path
