import { type Browser, chromium } from 'playwright-core'
import { chromiumPath } from './test-programs.js'

/** A headless Chromium. @throws StartProblem that says what to install. */
export const startBrowser = (): Promise<Browser> =>
  // Root has no sandbox; what is opened here are pages of our own.
  chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
