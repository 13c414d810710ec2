// The programs that only tests need: Chromium and xmllint.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canInstall, install } from '../../dev/apt.js'
import { findProgram, StartProblem } from '../../dev/programs.js'

// The shell is Chromium without the windows that nobody sees: pages come in less than half the time.
const findChromium = () =>
  findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
const findXmllint = () => findProgram('xmllint')

/** The path of Chromium. @throws StartProblem that says how to install it; a test without its browser must not pass. */
export const chromiumPath = (): string =>
  installed(
    findChromium(),
    'The browser tests need Chromium, and there is none on this machine. Install it (Debian: apt-get install ' +
      'chromium-headless-shell; Ubuntu: the package of Google Chrome; macOS: have chromium on PATH).',
  )

/** The path of xmllint, of libxml2. @throws StartProblem that says how to install it. */
export const xmllintPath = (): string =>
  installed(
    findXmllint(),
    'The tests of XML need xmllint, and there is none on this machine. Install it (Debian and Ubuntu: apt-get install ' +
      'libxml2-utils; macOS has it).',
  )

function installed(path: string | undefined, advice: string): string {
  if (!path) throw new StartProblem(advice)
  return path
}

/** Installs what is missing by apt, where that is allowed; elsewhere the tests that need it say so. */
export async function installTestPrograms(): Promise<void> {
  const missing = [findChromium() ? [] : ['chromium-headless-shell'], findXmllint() ? [] : ['libxml2-utils']].flat()
  if (missing.length === 0 || !canInstall()) return
  const logFile = join(mkdtempSync(join(tmpdir(), 'armature-install-')), 'install.log')
  console.log(`Installing ${missing.join(' and ')} for the tests (apt-get install); details in ${logFile}`)
  await install(missing, logFile)
}
