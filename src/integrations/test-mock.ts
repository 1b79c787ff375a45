import { type HttpHandler, HttpResponse, http, passthrough } from 'msw'
import type { setupServer } from 'msw/node'
import { fromFetchHeaders } from '../core/http/headers.ts'
import { type NamedCallers, redactorOf } from '../core/journal/redact.ts'
import { isToConnected } from '../core/mock/connected.ts'
import { createPlantMock, type LocalPlantMock } from '../core/mock/create-plant-mock.ts'
import { isObservedRun } from '../core/mock/observer.ts'
import { mockOptionNames, otherMockNames, type PlantMockOptions } from '../core/mock/options.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'
import type { PlantMockError } from '../util/errors.ts'
import { printable, printableLines } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import { isRepeated, plantHandlers, type UnhandledStrategy } from './msw.ts'
import { settled, type WatchedMock } from './overrides.ts'
import {
  checkNames,
  noCallers,
  type PlantMockChecks,
  renderJournal,
  strictFailures,
  withoutFrames,
} from './test-checks.ts'

type MswServer = ReturnType<typeof setupServer>
type Handlers = Parameters<typeof setupServer>

export type PlantMockTestOptions = PlantMockOptions & {
  /** The base URL of the service, such as `https://api.example.com/v1`. Default: `*`, any address. */
  readonly baseUrl?: string
  /**
   * How to treat a request without a handler: `error` refuses the request and fails the test, `warn` prints a warning
   * and lets the request pass to the network, `bypass` lets the request pass silently. Default: `error`.
   */
  readonly unhandled?: UnhandledStrategy
  /** Handlers for other services, which take precedence over the handlers of the mock. Default: no handlers. */
  readonly handlers?: Readonly<Handlers>
} & PlantMockChecks

/** An msw server on which a test can add or reset handlers without effect on other tests. */
export type TestServer = Pick<MswServer, 'use' | 'resetHandlers' | 'restoreHandlers' | 'listHandlers' | 'events'>

export interface PlantMockFixtures {
  /** Options of the mock, set by `test.override` or `test.extend`. */
  plantMock: PlantMockTestOptions
  /** The mock of this test, which responds to the requests of the code under test. */
  plants: LocalPlantMock
  server: TestServer
}

export type TestMock = ReturnType<typeof createTestMock>

const optionNames: OptionNames<PlantMockTestOptions> = {
  ...mockOptionNames,
  baseUrl: 'text',
  unhandled: true,
  handlers: 'list',
  ...checkNames,
}

export const createTestMock = (options: PlantMockTestOptions, server: Pick<TestServer, 'listHandlers'>) => {
  checkOptions(options, optionNames, 'plantMock', { ...otherMockNames, onUnhandledRequest: 'unhandled' })
  const { baseUrl = '*', unhandled: strategy = 'error', handlers = [], overrides, strict = false, ...rest } = options
  const mock = createPlantMock(rest)
  const { instances } = mock
  const unhandled: string[] = []
  const ignored = new Set<object>()
  const violating: string[] = []
  const onViolation = (text: string): void => {
    if (overrides === 'report') console.warn(`plant-mock: ${printableLines(text)}`)
    else violating.push(text)
  }
  const watched: WatchedMock | undefined =
    overrides === 'off' ? undefined : { instances, baseUrl, onViolation, reading: new Set() }
  const catchAll = catchAllHandlers(strategy, instances.callers, (request) => {
    unhandled.push(request)
    const own = new Set(catchAll.flatMap(marksOf))
    for (const handler of server.listHandlers())
      if (!marksOf(handler).some((mark) => own.has(mark))) ignored.add(handler)
  })
  const allHandlers: Handlers = [onceHandler(), ...handlers, ...plantHandlers(mock, { baseUrl }), ...catchAll]
  return { mock, baseUrl, unhandled, ignored, watched, violating, isStrict: strict, handlers: allHandlers }
}

/** Early versions of msw 2 mark handlers with `__kind`, later versions with `kind`. */
const marksOf = (handler: object): readonly string[] => ['kind', '__kind'].filter((mark) => mark in handler)

export const outsideOfTests =
  'The mock exists only inside tests and their beforeEach and afterEach hooks. Move the request there, or let the ' +
  "requests of beforeAll and afterAll pass through to the network with plantMock: { unhandled: 'bypass' }."

export const handlersOutsideOfTests = ({ handlers = [], unhandled = 'error' }: PlantMockTestOptions): Handlers => {
  const refuse = (request: string): void => console.error(`plant-mock refuses ${request}. ${outsideOfTests}`)
  return [...handlers, ...catchAllHandlers(unhandled, noCallers, refuse)]
}

/** Returns no journal under `plant-mock vary`, which reports exchanges itself. */
export const journalOf = async ({ mock, isStrict }: TestMock, isPassing = false): Promise<string> =>
  isObservedRun() ? '' : renderJournal(await mock.requests.all(), isStrict && isPassing ? [] : await mock.pending())

export const appendJournal = (error: unknown, journal: string): boolean => {
  if (journal === '') return true
  try {
    const failure = error as { message?: unknown; stack?: string } | null | undefined
    if (typeof failure?.message !== 'string') return false
    const message = `${failure.message}\n\n${journal}`
    if (failure.stack !== undefined) failure.stack = failure.stack.replace(failure.message, () => message)
    failure.message = message
    return failure.stack?.includes(journal) ?? true
  } catch {
    return false
  }
}

export const takeFailures = async (test: TestMock, isPassing: boolean): Promise<readonly string[]> => {
  const { mock, watched, unhandled, ignored, violating, baseUrl, isStrict } = test
  if (watched !== undefined) await settled(watched)
  const requests = unhandled.splice(0)
  return [
    ...(requests.length === 0 ? [] : [renderUnhandled(requests, baseUrl, ignored.size)]),
    ...violating.splice(0),
    ...(isStrict && isPassing ? await strictFailures(mock) : []),
  ]
}

export const failureFor = (reasons: readonly string[], journal: string): PlantMockError =>
  withoutFrames([...reasons, ...(journal === '' ? [] : [journal])].join('\n\n'))

/** Prevents a second run of the handlers when another msw server of the project sees the same request. */
const onceHandler = (): HttpHandler => {
  const seen = new Set<string>()
  return http.all('*', ({ request, requestId }) =>
    isToConnected(request.url) || isRepeated(seen, requestId) ? passthrough() : undefined,
  )
}

/** A last handler refuses unhandled requests, because the msw option for such requests differs between msw 2 and 3. */
const catchAllHandlers = (
  strategy: UnhandledStrategy,
  callers: NamedCallers,
  onRefused: (request: string) => void,
): HttpHandler[] => {
  if (strategy === 'bypass') return []
  const handler = http.all('*', ({ request }) => {
    const redact = redactorOf({ headers: fromFetchHeaders(request.headers) }, callers)
    const shown = printable(redact(`${request.method} ${request.url}`))
    if (strategy === 'error') {
      onRefused(shown)
      return HttpResponse.error()
    }
    console.warn(`plant-mock: No handler matches ${shown}. The request passes through to the network.`)
    return passthrough()
  })
  return [handler]
}

const renderUnhandled = (requests: readonly string[], baseUrl: string, ignored: number): string => {
  const counts = new Map<string, number>()
  for (const request of requests) counts.set(request, (counts.get(request) ?? 0) + 1)
  return [
    `No handler matches ${plural(requests.length, 'request')}:`,
    ...[...counts].map(([request, count]) => `  ${request}${count === 1 ? '' : `  (${count} times)`}`),
    `The mock serves only ${baseUrl === '*' ? '/plants at any address' : `${baseUrl}/plants`} (option plantMock.baseUrl).`,
    ...(ignored === 0
      ? []
      : [
          `msw ignores ${plural(ignored, 'handler')} made by another version of msw. Install one version of msw: npm ls msw lists the installed versions.`,
        ]),
    'Add handlers for other services with the option plantMock.handlers or with server.use(),',
    "or let requests pass through to the network with plantMock: { unhandled: 'bypass' }.",
    'Do not start another msw server in these tests.',
  ].join('\n')
}
