import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { evidenceVariable } from '../../src/vary/evidence/test-process.ts'
import { createRecorder } from '../../src/vary/suite/recorder.ts'
import type { RunSuite } from '../../src/vary/suite/run-suite.ts'
import type { TestEvent } from '../../src/vary/suite/test-result.ts'

export type ClientContext = {
  readonly url: string
  readonly create: (id: number) => Promise<Response>
  readonly list: (query?: string) => Promise<readonly { readonly name: string }[]>
  readonly send: (path: string, init?: RequestInit) => Promise<Response>
}

type ClientTest = (context: ClientContext) => Promise<void> | void

export type ClientFiles = Readonly<Record<string, Readonly<Record<string, ClientTest>>>>

const headers = { authorization: 'Bearer carol', 'content-type': 'application/json' }

export const contextOf = (url: string, fetcher: (url: string, init: RequestInit) => Promise<Response> = fetch) => {
  const send: ClientContext['send'] = (path, init) => fetcher(`${url}${path}`, { headers, ...init })
  return {
    url,
    send,
    create: (id) => send('/plants', { method: 'POST', body: JSON.stringify({ id, name: 'Hoya', tag: 'climber' }) }),
    list: async (query = '') => (await send(`/plants${query}`)).json() as ReturnType<ClientContext['list']>,
  } satisfies ClientContext
}

export const skipped = new Error('skipped')

const result = (failed: boolean) => ({
  passed: !failed,
  outcome: failed ? 'exit code 1' : 'exit code 0',
  milliseconds: 1,
})

export const clientSuite =
  (files: ClientFiles, { stopsAtFailure = false } = {}): RunSuite =>
  async ({ environment, output }) => {
    const events: TestEvent[] = []
    const recorder = createRecorder('node:test', (event) => events.push(event))
    const evidence = environment[evidenceVariable] ?? ''
    let failed = false
    const context = contextOf(environment.PLANT_MOCK_URL ?? '')
    for (const file of Object.keys(files)) {
      if (failed && stopsAtFailure) break
      for (const [name, run] of Object.entries(files[file] ?? {})) {
        const test = recorder.start(join('/client', file), name)
        try {
          await run(context)
          recorder.end(test, 'passed')
        } catch (error) {
          failed ||= error !== skipped
          recorder.end(test, error === skipped ? 'skipped' : 'failed', { error })
        }
        await nextMillisecond()
      }
    }
    const log = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    await writeFile(join(evidence, 'tests-client.ndjson'), log)
    await writeFile(output, 'the output of the client\n')
    return result(failed)
  }

/** Tests within the same millisecond would share their exchanges. */
const nextMillisecond = async (): Promise<void> => {
  const ended = Date.now()
  while (Date.now() === ended) await nextTurn()
}

export const clientScript =
  (run: ClientTest): RunSuite =>
  async ({ environment, output }) => {
    await writeFile(output, 'the output of the client\n')
    return Promise.resolve(contextOf(environment.PLANT_MOCK_URL ?? ''))
      .then(run)
      .then(
        () => result(false),
        () => result(true),
      )
  }
