// A browser that the test files of a run share.
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath } from './test-programs.js'

let started: Promise<Browser> | undefined

/**
 * A headless Chromium for all files of a test process, which ends with it. Whoever opens a page closes its context.
 * @throws StartProblem that says what to install.
 */
export function sharedBrowser(): Promise<Browser> {
  // Root has no sandbox; what is opened here are pages of our own.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
  started ??= chromium.launch({ executablePath: chromiumPath(), args })
  return started
}

/** A new page of that browser, in which no script runs. */
export const pageWithoutScripts = async (): Promise<Page> =>
  (await sharedBrowser()).newPage({ javaScriptEnabled: false })
