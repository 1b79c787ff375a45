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
 * A headless Chromium that asks the network for nothing but what its pages ask for. It has the event `unload`
 * switched off for pages that do not ask for it by `Permissions-Policy`, as Chrome means to have everywhere.
 */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium() ?? debian,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--enable-features=DeprecateUnload',
    ],
  })
