import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const debian = '/usr/bin/chromium'
const places = [
  debian,
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of a Chromium or Chrome of this system. */
export const findChromium = (): string | undefined => places.find((path) => existsSync(path))

/**
 * Whether tests in a browser are skipped, and says so: where no Chromium is installed, and `PLANT_MOCK_BROWSER` does
 * not require one.
 */
export const skipsBrowser = (tests: string): boolean => {
  const skips = findChromium() === undefined && process.env.PLANT_MOCK_BROWSER !== 'required'
  if (skips) console.warn(`Skipped: ${tests}, because no Chromium is installed.`)
  return skips
}

/** For a headless Chromium of this system that asks the network for nothing but what its pages ask for. */
export const launchOptions = {
  executablePath: findChromium() ?? debian,
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
 * A Chromium that has the event `unload` switched off for pages that do not ask for it by `Permissions-Policy`, as
 * Chrome means to have everywhere.
 */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ ...launchOptions, args: [...launchOptions.args, '--enable-features=DeprecateUnload'] })
