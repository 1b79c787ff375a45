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
    // An outer test may have set this variable. With it, no process of this suite would record its tests.
    [insideTestsVariable]: undefined,
    // `NODE_TEST_CONTEXT` would make node:test treat the command as one of its own test files.
    NODE_TEST_CONTEXT: undefined,
    // Keeps test runners from appending a job summary in each run, because plant-mock writes one at the end.
    GITHUB_STEP_SUMMARY: undefined,
  }
}

/** Quotes a path for `NODE_OPTIONS`, where spaces separate options and a backslash escapes within quotes. */
const quoted = (path: string): string =>
  /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, (character) => `\\${character}`)}"` : path
