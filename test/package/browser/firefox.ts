import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { skipsUnless } from '../../support/skips.ts'

const paths = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox']
const findFirefox = (): string | undefined => paths.find((path) => existsSync(path))

export const skipsFirefox = (): boolean => {
  const isRequired = process.env.PLANT_MOCK_FIREFOX === 'required'
  return skipsUnless(isRequired || findFirefox() !== undefined, 'Firefox (Debian: apt-get install firefox-esr)')
}

export type FirefoxPage = {
  readonly open: (url: string, viewport: { readonly width: number; readonly height: number }) => Promise<void>
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly screenshot: () => Promise<Buffer>
  readonly close: () => Promise<void>
}

type Answer = {
  readonly id?: number
  readonly type: string
  readonly message?: string
  readonly result?: Record<string, unknown>
}
type Call = (method: string, params: object) => Promise<Record<string, unknown>>

export const launchFirefox = async (colorScheme: 'light' | 'dark'): Promise<FirefoxPage> => {
  const profile = await mkdtemp(join(tmpdir(), 'plant-mock-firefox-'))
  const scheme = colorScheme === 'dark' ? 0 : 1
  await writeFile(
    join(profile, 'user.js'),
    `user_pref("layout.css.prefers-color-scheme.content-override", ${scheme});
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
`,
  )
  const child = spawn(
    findFirefox() ?? 'firefox',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } },
  )
  const call = await connect(`${await addressOf(child)}/session`)
  await call('session.new', { capabilities: {} })
  const { contexts } = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] }
  const context = contexts[0]?.context
  return {
    async open(url, viewport) {
      await call('browsingContext.setViewport', { context, viewport })
      // Firefox loads nothing when only the hash of the URL changes, hence `about:blank` before the new URL.
      await call('browsingContext.navigate', { context, url: 'about:blank', wait: 'complete' })
      await call('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async evaluate(expression) {
      const answer = await call('script.evaluate', { expression, target: { context }, awaitPromise: true })
      if (answer.type === 'exception') throw new Error(JSON.stringify(answer.exceptionDetails))
      return (answer.result as { value?: unknown }).value
    },
    async screenshot() {
      const { data } = await call('browsingContext.captureScreenshot', { context })
      return Buffer.from(data as string, 'base64')
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (chunk) => {
      text += chunk
      const [, address] = /BiDi listening on (ws:\S+)/.exec(text) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Firefox ended: ${text}`)))
  })

const connect = async (url: string): Promise<Call> => {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.on('message', (text) => {
    const answer = JSON.parse(String(text)) as Answer
    waiting.get(answer.id ?? 0)?.(answer)
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  let last = 0
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ type, message, result = {} }) =>
        type === 'error' ? reject(new Error(`${method}: ${message}`)) : resolve(result),
      )
      socket.send(JSON.stringify({ id, method, params }))
    })
}
