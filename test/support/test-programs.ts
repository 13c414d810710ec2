// Finds, installs and runs the programs that only tests need: Chromium and xmllint.
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { canInstall, install } from '../../dev/apt.js'
import { findProgram, StartProblem } from '../../dev/programs.js'

// chromium-headless-shell has no user interface, and opens pages in less than half the time.
const findChromium = () =>
  findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
const findXmllint = () => findProgram('xmllint')

/** Returns the path of Chromium. @throws StartProblem that says how to install it. */
const chromiumPath = (): string =>
  installed(
    findChromium(),
    'The browser tests need Chromium, and there is none on this machine. Install it (Debian: apt-get install ' +
      'chromium-headless-shell; Ubuntu: the package of Google Chrome; macOS: have chromium on PATH).',
  )

/** Returns the path of xmllint, which is part of libxml2. @throws StartProblem that says how to install it. */
const xmllintPath = (): string =>
  installed(
    findXmllint(),
    'The tests of XML need xmllint, and there is none on this machine. Install it (Debian and Ubuntu: apt-get install ' +
      'libxml2-utils; macOS has it).',
  )

function installed(path: string | undefined, advice: string): string {
  if (!path) throw new StartProblem(advice)
  return path
}

/** Installs missing programs with apt, if that is allowed. Otherwise the tests that need them fail with advice. */
export async function installTestPrograms(): Promise<void> {
  const missing = [findChromium() ? [] : ['chromium-headless-shell'], findXmllint() ? [] : ['libxml2-utils']].flat()
  if (missing.length === 0 || !canInstall()) return
  const logFile = join(mkdtempSync(join(tmpdir(), 'armature-install-')), 'install.log')
  console.log(`Installing ${missing.join(' and ')} for the tests (apt-get install); details in ${logFile}`)
  await install(missing, logFile)
}

let started: Promise<Browser> | undefined

/**
 * Returns a headless Chromium, which all files of a test process share. A test that opens a page must close its context.
 * @throws StartProblem that says what to install.
 */
export function sharedBrowser(): Promise<Browser> {
  // Root cannot use the sandbox. It is not needed, because only our own pages are opened.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
  started ??= chromium.launch({ executablePath: chromiumPath(), args })
  return started
}

/** Opens an empty page in which scripts do not run. */
export const pageWithoutScripts = async (): Promise<Page> =>
  (await sharedBrowser()).newPage({ javaScriptEnabled: false })

/**
 * Validates documents against an XML Schema with xmllint.
 * @returns the faults of each document, or an empty text if it is valid.
 * @throws Error if the schema is invalid; StartProblem that says what to install.
 */
export async function xmlFaults(schema: string, documents: readonly string[]): Promise<string[]> {
  const xmllint = xmllintPath()
  const folder = await mkdtemp(join(tmpdir(), 'armature-xml-'))
  try {
    const names = documents.map((_, n) => `${n}.xml`)
    await writeFile(join(folder, 'form.xsd'), schema)
    await Promise.all(documents.map((document, n) => writeFile(join(folder, `${n}.xml`), document)))
    const printed = await lint(xmllint, ['--nonet', '--noout', '--schema', 'form.xsd', ...names], folder)
    const lines = printed.split('\n')
    return names.map(name => {
      if (lines.includes(`${name} validates`)) return ''
      const faults = lines.filter(line => line.startsWith(`${name}:`) && line.includes('error'))
      // Without a verdict on the document, the schema could not be read.
      if (faults.length === 0) throw new Error(printed)
      return faults.join('\n')
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs xmllint and returns its output. The exit code is ignored, because it only says that something is wrong. */
const lint = (xmllint: string, args: string[], cwd: string): Promise<string> =>
  new Promise(resolve => {
    execFile(xmllint, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
