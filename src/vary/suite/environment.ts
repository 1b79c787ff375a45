import { observerVariable } from '../../core/mock/observer.ts'
import { packageFile } from '../../server/files/package-folder.ts'
import { evidenceVariable, insideTestsVariable } from '../evidence/test-process.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const preload = packageFile('dist', 'vary', 'preload.cjs')
const observer = packageFile('dist', 'vary', 'observer.cjs')

export const suiteEnvironment = (base: Environment, folder: string): Record<string, string | undefined> => {
  const options = [base.NODE_OPTIONS?.trim(), preload && `--require=${quoted(preload)}`].filter(Boolean).join(' ')
  return {
    ...base,
    ...(options !== '' && { NODE_OPTIONS: options }),
    [evidenceVariable]: folder,
    [observerVariable]: observer,
    // If plant-mock itself runs inside a test, the variable of that test would stop all recording.
    [insideTestsVariable]: undefined,
    // With NODE_TEST_CONTEXT, node:test treats the command as one of its test files.
    NODE_TEST_CONTEXT: undefined,
    // Test runners would append a job summary in each run, but plant-mock writes one summary at the end.
    GITHUB_STEP_SUMMARY: undefined,
  }
}

/** In `NODE_OPTIONS`, spaces separate options. Within quotes, a backslash escapes the next character. */
const quoted = (path: string): string =>
  /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, (character) => `\\${character}`)}"` : path
