import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { findProgram, run, StartProblem } from '../../dev/programs.js'

/** Installing takes a minute or two, and longer where the line is slow: the timeout of a hook that starts a browser, in ms. */
export const browserTimeoutMs = 600_000

const installed = () => findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')

/**
 * A headless browser: the Chromium of this machine, which is installed by apt where there is none and we are root.
 * @throws StartProblem that says what to install; a test without its browser must not pass.
 */
export async function startBrowser(): Promise<Browser> {
  const executablePath = installed() ?? (await install())
  // Root has no sandbox; what is opened here are pages of our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] })
}

async function install(): Promise<string> {
  const apt = findProgram('apt-get')
  if (apt && process.getuid?.() === 0) {
    const logFile = join(await mkdtemp(join(tmpdir(), 'armature-chromium-')), 'install.log')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    console.warn(`Installing Chromium for the browser tests (apt-get install chromium); details in ${logFile}`)
    // Another test file may be installing something at the same time.
    const wait = ['-o', 'DPkg::Lock::Timeout=300']
    await run(apt, [...wait, 'update'], { logFile, env })
    await run(apt, [...wait, 'install', '-y', '--no-install-recommends', 'chromium'], { logFile, env })
    const command = installed()
    if (command) return command
  }
  throw new StartProblem(
    'The browser tests need Chromium, and there is none on this machine. Install it (Debian: apt-get install chromium; ' +
      'Ubuntu: the package of Google Chrome; macOS: have chromium on PATH).',
  )
}
