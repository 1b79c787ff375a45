import { readLines } from './read-lines.ts'
import {
  type EndEvent,
  type FileEvent,
  type StartEvent,
  type TestEvent,
  type TestResult,
  testId,
  uniqueNames,
} from './test-result.ts'

/**
 * Reads the events that test runners recorded in a folder. Tests are sorted by start. A started test without an end
 * failed, with the message `did not end`.
 * @returns `tests` is `undefined` if no runner was recognised; `programs` lists name and version of the packages whose
 * programs were started.
 */
export const readTestResults = async (folder: string) => {
  const { logs, ignored } = await readLines<TestEvent>(folder, /^tests-.*\.ndjson$/, types)
  const events = logs.flat()
  const programs = [...new Set(events.flatMap((event) => (event.type === 'program' ? [event.program] : [])))]
  const recorded = logs
    .map((log) => log.filter((event) => event.type !== 'program'))
    .filter((log) => log.length > 0)
    .sort((a, b) => beginOf(a) - beginOf(b))
  if (recorded.length === 0) return { runners: [], tests: undefined, programs, ignored }
  const unique = uniqueNames()
  // The same test may run in several processes, for example in two commands of one script.
  const tests = recorded.flatMap((log) =>
    testsIn(log).map((test) => {
      const name = unique(test.file, test.name)
      return { ...test, name, id: testId(test.file, name) }
    }),
  )
  const names = new Set(recorded.flatMap((log) => log.map(({ runner }) => runner)))
  return { runners: [...names], tests: tests.sort((a, b) => a.start - b.start), programs, ignored }
}

export type RecordedTests = Awaited<ReturnType<typeof readTestResults>>

const types: Readonly<Record<TestEvent['type'], true>> = {
  program: true,
  runner: true,
  'file-start': true,
  'file-end': true,
  start: true,
  end: true,
}

type OfRunner = Exclude<TestEvent, { type: 'program' }>

const beginOf = ([first]: readonly OfRunner[]): number => first?.at ?? 0

/** The last event of each test decides. */
const testsIn = (events: readonly OfRunner[]): readonly UnnamedRun[] => {
  const last = new Map<string, StartEvent | EndEvent>()
  const files = new Map<string, FileEvent>()
  for (const event of events) {
    if (event.type === 'start' || event.type === 'end') last.set(testId(event.file, event.name), event)
    else if (event.type !== 'runner') files.set(event.file, event)
  }
  const end = events.reduce((latest, { at }) => Math.max(latest, at), 0)
  const tests = [...last.values()].map((event) => (event.type === 'end' ? ended(event) : unended(event, end)))
  const started = [...files.values()].filter(({ type }) => type === 'file-start')
  const withFailure = new Set(tests.filter(({ outcome }) => outcome === 'failed').map(({ file }) => file))
  const killed = started.filter(({ file }) => !withFailure.has(file)).map((event) => ({ ...event, name: event.file }))
  return [...tests, ...killed.map((event) => unended(event, end))]
}

type UnnamedRun = Omit<TestResult, 'id'>

const ended = ({ at, runner: _, type: __, ...event }: EndEvent): UnnamedRun => ({ ...event, end: at })

const unended = ({ file, name, at, pid }: Omit<StartEvent, 'type' | 'runner'>, end: number): UnnamedRun => ({
  file,
  name,
  outcome: 'failed',
  message: 'did not end',
  start: at,
  end,
  ...(pid !== undefined && { pid }),
})
