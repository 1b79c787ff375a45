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

/** The path of an installed Chromium or Chrome. */
const findChromium = (): string | undefined => paths.find((path) => existsSync(path))

/** Whether to skip tests that need a browser: no Chromium is installed, and `PLANT_MOCK_BROWSER` is not `required`. */
export const skipsBrowser = (): boolean => {
  const isRequired = process.env.PLANT_MOCK_BROWSER === 'required'
  return skipsUnless(isRequired || findChromium() !== undefined, 'Chromium (Debian: apt-get install chromium)')
}

/** Runs the program that the environment names, with fewer features. */
export const executablePath = fileURLToPath(new URL('chromium.sh', import.meta.url))
export const chromiumEnvironment = { CHROMIUM_PROGRAM: findChromium() ?? debian }

/** For the installed Chromium, headless and without network requests of its own. */
export const launchOptions = {
  executablePath,
  /** Read at each launch: a test file has a temporary folder of its own. */
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

/**
 * Launches Chromium with the deprecation of `unload`, planned for Chrome: only pages that request the event by
 * `Permissions-Policy` receive it.
 */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ ...launchOptions, args: [...launchOptions.args, '--enable-features=DeprecateUnload'] })
