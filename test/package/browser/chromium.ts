import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { skipsUnless } from '../../support/skips.ts'

const debian = '/usr/bin/chromium'
const paths = [
  debian,
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const findChromium = (): string | undefined => paths.find((path) => existsSync(path))

export const skipsBrowser = (): boolean => {
  const isRequired = process.env.PLANT_MOCK_BROWSER === 'required'
  return skipsUnless(isRequired || findChromium() !== undefined, 'Chromium (Debian: apt-get install chromium)')
}

/** `chromium.sh` starts the browser in CHROMIUM_PROGRAM with fewer features. */
export const executablePath = fileURLToPath(new URL('chromium.sh', import.meta.url))
export const chromiumEnvironment = { CHROMIUM_PROGRAM: findChromium() ?? debian }

export const launchOptions = {
  executablePath,
  /** The environment is read at each launch, because each test file has its own temporary folder. */
  get env() {
    return { ...process.env, ...chromiumEnvironment }
  },
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

/** Chrome plans to fire `unload` only on pages that request the event by `Permissions-Policy`. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ ...launchOptions, args: [...launchOptions.args, '--enable-features=DeprecateUnload'] })
